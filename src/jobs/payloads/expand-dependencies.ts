import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import { SYSTEMS } from '../../model/lockfile/version-key.ts';
import type { JobType } from '../job-type.ts';
import { partKey, scanId } from './fields.ts';

const versionKey = () =>
  z.strictObject({
    system: z.enum(SYSTEMS),
    name: z.string().min(1).max(1_000),
    version: z.string().min(1).max(1_000),
  });

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    part: z.int().nonnegative(),
    versionKeys: z.array(versionKey()).max(1_000),
  }),
);

export type ExpandDependencies = z.infer<ReturnType<typeof schema>>;

/** Fetches one part of the dependency graphs that a scan needs. */
export const EXPAND_DEPENDENCIES: JobType<ExpandDependencies> = {
  name: 'expand-dependencies',
  version: 1,
  schema,
  key: partKey,
};
