import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import { SYSTEMS } from '../../model/lockfile/version-key.ts';
import type { JobType } from '../job-type.ts';
import { printableText, scanId, timestamp } from './fields.ts';

/** Package versions of one job. */
export const PACKAGES_PER_ADVICE = 50;
/** Direct dependencies that bring one package version. */
export const MAX_DIRECTS = 10;

const versionKey = () =>
  z.strictObject({
    system: z.enum(SYSTEMS),
    name: printableText(1, 1_000),
    version: printableText(1, 1_000),
  });

const schema = lazily(() =>
  z.strictObject({
    advice: scanId().describe('Id of the scan whose findings need advice.'),
    part: z.int().nonnegative(),
    requestedAt: timestamp(),
    packages: z
      .array(z.strictObject({ key: versionKey(), directs: z.array(versionKey()).max(MAX_DIRECTS) }))
      .max(PACKAGES_PER_ADVICE),
  }),
);

export type AdviseUpgrades = z.infer<ReturnType<typeof schema>>;

/** Finds out how findings can be cleared, once for each package version of the fleet. */
export const ADVISE_UPGRADES: JobType<AdviseUpgrades> = {
  name: 'advise-upgrades',
  version: 1,
  schema,
  key: ({ advice, part }) => `${advice}.${part}`,
};
