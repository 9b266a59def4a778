import { z } from 'zod';
import { CADENCES } from '../../model/fleet/cadence.ts';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';
import { scanId, timestamp } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    cadence: z.enum(CADENCES),
    requestedAt: timestamp(),
    part: z.int().nonnegative(),
    ids: z.base64().max(100_000).describe('Ids of package versions: `encodeIds` in Base64.'),
  }),
);

export type RefreshPackages = z.infer<ReturnType<typeof schema>>;

/** Looks one part of the package versions of a refresh up. */
export const REFRESH_PACKAGES: JobType<RefreshPackages> = {
  name: 'refresh-packages',
  version: 1,
  schema,
  key: ({ refresh, part }) => `${refresh}.${part}`,
};
