import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import type { JobType } from '../job-type.ts';
import { scanId, timestamp } from './fields.ts';

const schema = lazily(() => z.strictObject({ scan: scanId(), requestedAt: timestamp() }));

export type CheckContract = z.infer<ReturnType<typeof schema>>;

/** Compares the pinned API documents with the published ones. */
export const CHECK_CONTRACT: JobType<CheckContract> = {
  name: 'check-contract',
  version: 1,
  schema,
  key: ({ scan }) => scan,
};

/** The check of a due time. */
export function contractCheckDue(due: Date): FollowUp {
  const requestedAt = due.toISOString();
  const scan = `lockhound.contract.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(CHECK_CONTRACT, { scan, requestedAt });
}
