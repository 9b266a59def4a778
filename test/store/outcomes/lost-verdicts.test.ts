import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gatherDigest } from '../../../src/jobs/gather-digest.ts';
import { recordVerdict } from '../../../src/jobs/scan/record-verdict.ts';
import type { NotificationMode } from '../../../src/model/alert/notification.ts';
import type { Outcomes } from '../../../src/model/queue/outcome.ts';
import { createDigestStore } from '../../../src/store/alerts/digests.ts';
import { createOutcomeStore } from '../../../src/store/outcomes/outcomes.ts';
import { createTargetStore } from '../../../src/store/targets.ts';
import { context, ports } from '../../jobs/facts.ts';
import { changeOf } from '../../notify/notification.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

/** Redis loses verdicts whose alerts a receiver has got, and their scans are judged again. */

const MODES: readonly NotificationMode[] = ['digest', 'change', 'periodic', 'advisory'];
const WINDOW = '2026-05-02T00:00:00.000Z';

let room: StoreRoom;
let outcomes: Outcomes;
beforeAll(async () => {
  room = await openStoreRoom();
});
beforeEach(async () => {
  await room.redis.flushall();
  outcomes = createOutcomeStore(room.redis, room.keys);
});
afterAll(() => room.close());

/** Judges the scan of a time, which finds something or nothing. */
async function judge(minute: number, isFound: boolean) {
  const judged = {
    scan: `scan-${minute}`,
    target: { id: 'shop', labels: {} },
    requestedAt: `2026-05-01T00:0${minute}:00Z`,
    judgedAt: Date.parse(WINDOW),
    findings: isFound ? [changeOf('left-pad').finding] : [],
    partial: false,
    paths: ['package-lock.json'],
    stillOpen: () => undefined,
    gaps: [],
    previous: await createTargetStore(room.redis, room.keys).read('shop'),
    firstScan: 'all' as const,
  };
  const rules = MODES.map((mode) => ({ name: mode, mode, match: {}, rest: false }));
  const routing = () => ({ take: 'all' as const, firstScan: 'all' as const, rules });
  return await recordVerdict(judged, { routing: { routing }, policy: ports({}).policy });
}

/** Judges the scan of a time, saves that, and returns the ids of its alerts by route. */
async function step(minute: number, isFound: boolean): Promise<Readonly<Record<string, string>>> {
  const scan = `scan-${minute}`;
  const run = await judge(minute, isFound);
  expect(await outcomes.save('judge-scan', scan, run)).toMatchObject({ status: 'saved' });
  const gathered = await Promise.all([gather('changes', 'periodic'), gather('issues', 'advisory')]);
  const told = [run, ...gathered].flatMap(({ deliveries = [] }) => deliveries);
  return Object.fromEntries(told.map(({ identity: { route, id } }) => [route, id]));
}

/** All gather in one window: only what is told differs. */
async function gather(of: 'changes' | 'issues', route: string) {
  const waiting = await createDigestStore(room.redis, room.keys).read(route);
  const run = await gatherDigest.run({ of, route, window: WINDOW }, ports({ waiting }), context());
  const key = `${route}-${waiting.map(({ scan }) => scan).join()}`;
  expect(await outcomes.save('gather-digest', key, run)).toMatchObject({ status: 'saved' });
  return run;
}

/** Everything that Redis holds. */
async function image(): Promise<ReadonlyMap<string, Buffer>> {
  const all = new Map<string, Buffer>();
  for (const key of await room.redis.keys('*')) {
    const value = await room.redis.dumpBuffer(key);
    if (value !== null) all.set(key, value);
  }
  return all;
}

async function restore(all: ReadonlyMap<string, Buffer>): Promise<void> {
  await room.redis.flushall();
  for (const [key, value] of all) await room.redis.restore(key, 0, value);
}

describe('after Redis has lost verdicts', () => {
  it('the same steps have the same ids, so that receivers drop what they know', async () => {
    await step(1, true);
    const before = await image();
    const first = [await step(2, false), await step(3, true), await step(4, false)];
    expect(first.map((ids) => Object.keys(ids).toSorted())).toEqual(Array(3).fill(MODES.toSorted()));
    await restore(before);
    expect([await step(2, false), await step(3, true), await step(4, false)]).toEqual(first);
  });

  it('a step after other ones has other ids, also with the same scan and content', async () => {
    const before = await image();
    await step(1, true);
    const told = await step(4, false);
    await restore(before);
    await step(2, true);
    const again = await step(4, false);
    expect(Object.keys(again).toSorted()).toEqual(MODES.toSorted());
    for (const mode of MODES) expect(again[mode]).not.toBe(told[mode]);
  });

  it('a worker that has read a lost state does not replace the next one', async () => {
    await step(1, true);
    const before = await image();
    await step(2, true);
    const late = await judge(3, true);
    await restore(before);
    await step(4, false);
    expect(await outcomes.save('judge-scan', 'scan-3', late)).toMatchObject({ status: 'state-moved' });
    expect((await createTargetStore(room.redis, room.keys).read('shop'))?.scan).toBe('scan-4');
  });

  it('steps that tell nothing change no id', async () => {
    await step(1, true);
    const before = await image();
    const told = await step(4, false);
    await restore(before);
    expect(await step(2, true)).toEqual({});
    expect(await step(4, false)).toEqual(told);
  });

  it('a state of an earlier release goes on', async () => {
    await step(1, true);
    const { told, ...earlier } = (await createTargetStore(room.redis, room.keys).read('shop')) ?? {};
    expect(told).toMatch(/^[0-9a-f]{16}$/);
    await room.redis.hset(room.keys.target('shop'), 'state', JSON.stringify(earlier));
    expect(Object.keys(await step(4, false)).toSorted()).toEqual(MODES.toSorted());
    expect(await createTargetStore(room.redis, room.keys).read('shop')).toHaveProperty('told');
  });
});
