import { createHash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';

const schema = lazily(() =>
  z.strictObject({
    route: z.string().min(1).max(200),
    window: z.iso.datetime().describe('The end of the time window.'),
  }),
);

export type GatherDigest = z.infer<ReturnType<typeof schema>>;

/** Builds the periodic digest of a route for one time window. */
export const GATHER_DIGEST: JobType<GatherDigest> = {
  name: 'gather-digest',
  version: 1,
  schema,
  key: keyOf,
};

/** The key is also the digest's scan id. */
function keyOf({ route, window }: GatherDigest): string {
  const name = createHash('sha256').update(route).digest('hex').slice(0, 12);
  return `digest-${name}-${window.replaceAll(/[^0-9TZ]/g, '')}`;
}
