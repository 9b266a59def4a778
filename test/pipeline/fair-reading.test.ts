import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_REDIS, startNativeRedis } from '../native-redis.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type World } from './world.ts';

/** Comments make the general YAML parser read it, which is the slowest reader; a single package follows from it. */
const SLOW = `lockfileVersion: '6.0'
packages:
  /minimist@1.2.5:
    dev: true # x
ignored:
${'  - a # x\n'.repeat(120_000)}`;
/** More than twice the scans that a worker runs at the same time. */
const SCANS = 7;

describe.skipIf(!HAS_REDIS)('large files of one target', () => {
  let world: World;

  beforeAll(async () => {
    const redis = await startNativeRedis();
    world = await createWorld(redis);
  });
  afterAll(() => world.close());

  it('do not keep the scan of another target waiting', async () => {
    const room = await world.room('fair', [], { platform: false });
    const enqueue = (scan: string, target: string, path: string, content: string, minute = 0) =>
      room.producer.enqueue({
        scan,
        requestedAt: new Date(Date.UTC(2026, 4, 1, 0, minute)).toISOString(),
        target: { id: target },
        lockfiles: [{ path, content }],
      });
    const greedy = Array.from({ length: SCANS }, (_, at) => `greedy-${at}`);
    // Each is another file, so that none repeats the result of another one.
    for (const [at, scan] of greedy.entries()) {
      await enqueue(scan, 'greedy', 'pnpm-lock.yaml', `${SLOW}# ${at}\n`, at);
    }
    await enqueue('other-1', 'other', 'package-lock.json', LOCKFILE);
    let read = 0;
    const all = greedy.map((scan) =>
      room.outcome('ingest-lockfiles', scan).then(() => {
        read += 1;
      }),
    );
    const worker = room.startWorker();
    await room.verdict('other-1');
    // The scans of the other target were queued first, and only one of them was read meanwhile.
    expect(read).toBeLessThanOrEqual(2);
    await Promise.all(all);
    // Postponed scans may be read in another order: none is lost, and the newest one is the state of its target.
    const verdicts = await Promise.all(greedy.map((scan) => room.verdict(scan)));
    expect(verdicts).not.toContain(undefined);
    expect(verdicts.at(-1)).toMatchObject({ superseded: false });
    expect(worker.output()).not.toContain('job failed permanently');
  });
});
