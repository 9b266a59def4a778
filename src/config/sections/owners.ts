import { z } from 'zod';
import { MAX_OWNERS, OWNER } from '../../model/scan/owner.ts';
import { targetLabels } from '../values.ts';

/** Who owns the findings of lockfiles for which neither `.lockhound.yaml` nor CODEOWNERS names owners. */
export const owners = z
  .array(
    z.strictObject({
      target: z.string().min(1).max(200).optional().describe('Id of the target; `*` matches any text.'),
      labels: targetLabels().optional().describe('Labels that the target has; `*` matches any text.'),
      paths: z
        .array(z.string().min(1).max(1_024))
        .min(1)
        .max(100)
        .optional()
        .describe('Paths of lockfiles, in the notation of `.gitignore`.'),
      owners: z
        .array(z.string().regex(OWNER, '`@user`, `@organisation/team` or an e-mail address'))
        .min(1)
        .max(MAX_OWNERS)
        .describe('Owners of the findings.'),
    }),
  )
  .max(1_000)
  .default([])
  .describe('Owners of findings in lockfiles without owners of their own; the first entry that fits counts.');
