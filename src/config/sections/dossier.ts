import { z } from 'zod';
import { httpUrl } from '../values.ts';

const text = () => z.string().trim().min(1).max(300);

/** Settings of dossiers (`docs/dossiers.md`). */
export const dossier = z.strictObject({
  publisher: z
    .strictObject({
      name: text().describe('Name of the manufacturer, as `lockhound dossier` states it.'),
      namespace: httpUrl.describe('A URL that identifies it.'),
      contact: text().optional().describe('How it can be reached.'),
    })
    .optional()
    .describe('Who publishes dossiers. Unset: a person has to fill it in.'),
});
