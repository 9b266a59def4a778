import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { JobType } from '../job-type.ts';

const schema = z.strictObject({
  route: z.string().min(1).max(200),
  window: z.iso.datetime().describe('When the time over which is gathered ended.'),
});

export type GatherDigest = z.infer<typeof schema>;

/** The periodic digest of a route for one window of time. */
export const GATHER_DIGEST: JobType<GatherDigest> = {
  name: 'gather-digest',
  version: 1,
  schema,
  key: keyOf,
};

/** Valid as the id of a scan. */
function keyOf({ route, window }: GatherDigest): string {
  const name = createHash('sha256').update(route).digest('hex').slice(0, 12);
  return `digest-${name}-${window.replaceAll(/[^0-9TZ]/g, '')}`;
}
