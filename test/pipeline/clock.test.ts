import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Ledger, type Open } from '../../simulation/oracle.ts';
import { runWorker } from '../../src/compose/worker.ts';
import { readBundledData } from '../../src/embedded/insights/data-set.ts';
import { runUntil, stopClock } from './moved-clock.ts';
import { openFindingsOf } from './open-findings.ts';
import {
  CONFIG,
  createSimulatedWorld,
  DAY,
  FIRST_PACKAGES,
  OUTAGE,
  START,
  STEP,
  SUPPRESSED,
} from './simulated-world.ts';
import { createWorld, type Room, type World } from './world.ts';

const DAYS = 11;
/** No worker runs. */
const PAUSE = { from: 8 * DAY, to: 10 * DAY };
/**
 * Before each step, so that the schedule of each minute is not a day late in it; longer than an alert waits for an earlier one, which may
 * move the clock: a step must not set it back, or its scans would be older than what was judged.
 */
const LATE_MS = 30 * 60_000;
const RESTARTS = [2 * DAY, 4 * DAY];

/** BullMQ does not renew the lock of a job while the clock stands still. */
const LOCKS = { LOCKHOUND_WORKER_LOCK_DURATION: '10m' };

function start(room: Room) {
  const loaded = room.load({ ...LOCKS, LOCKHOUND_LOG_LEVEL: 'error' });
  return runWorker(loaded, { signal: new AbortController().signal, ephemeral: false });
}

describe('eleven days whose clock moves on', () => {
  let world: World;
  let room: Room;
  let simulated: ReturnType<typeof createSimulatedWorld>;
  let worker: Awaited<ReturnType<typeof start>> | undefined;

  beforeAll(async () => {
    stopClock(START);
    // With the well-known versions that prove to Lockhound that the index still has its data.
    const bundled = await readBundledData();
    const packages = [...bundled.packages, ...FIRST_PACKAGES];
    world = await createWorld(undefined, { insights: { data: { ...bundled, partial: false, packages } } });
    room = await world.room('clock', ['firstScan: all'], { platform: false, config: CONFIG });
    simulated = createSimulatedWorld(world.services.insights);
  });
  afterAll(async () => {
    await worker?.close();
    await world.close();
    vi.useRealTimers();
  });

  const bodies = () =>
    world.services.receiver
      .deliveries()
      .filter(({ path }) => path === '/clock')
      .map(({ body }) => body);

  const stop = async (): Promise<void> => {
    await worker?.close();
    worker = undefined;
  };

  /** What happens before a step. Starts that the schedules missed meanwhile are late, and find nothing new. */
  async function prepare(sinceStart: number): Promise<void> {
    const { faults } = world.services.insights;
    if (worker !== undefined) await runUntil(room, START + sinceStart - LATE_MS);
    if (sinceStart === OUTAGE.from) faults.inject({ kind: 'answer', status: 503 }, { every: 1 });
    if (sinceStart === OUTAGE.to) faults.clear();
    const isOut = sinceStart >= OUTAGE.from && sinceStart < OUTAGE.to;
    if (sinceStart > 0 && !isOut) simulated.live(sinceStart);
    if (sinceStart === PAUSE.from || RESTARTS.includes(sinceStart)) await stop();
  }

  /** The receiver has learned of each change once, and knows what is open. */
  async function step(sinceStart: number): Promise<void> {
    expect(Date.now()).toBeLessThanOrEqual(START + sinceStart);
    vi.setSystemTime(START + sinceStart);
    await simulated.scan(room);
    worker ??= await start(room);
    await runUntil(room, START + sinceStart);
    const open = simulated.open(sinceStart);
    const at = new Date(START + sinceStart).toISOString();
    const left = () => unsettled(open, bodies());
    // The age of facts is checked each minute, so an outage is over some minutes after the service answers again.
    for (let minute = 0; minute < 15 && left().length > 0; minute += 1)
      await runUntil(room, Date.now() + 60_000);
    expect({ at, left: left() }).toEqual({ at, left: [] });
  }

  it('alerts each change once, and ends in the state that clean scans give', async () => {
    for (let sinceStart = 0; sinceStart <= DAYS * DAY; sinceStart += STEP) {
      await prepare(sinceStart);
      if (sinceStart >= PAUSE.from && sinceStart < PAUSE.to) continue;
      await step(sinceStart);
    }
    simulated.restoreVersions();
    await step((DAYS + 1) * DAY);
    await stop();
    const clean = await world.room('clean', ['firstScan: all'], { platform: false, config: CONFIG });
    worker = await start(clean);
    await simulated.scan(clean, simulated.targets());
    await runUntil(clean, Date.now());
    for (const target of simulated.targets()) {
      const found = await openFindingsOf(room, target);
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(await openFindingsOf(clean, target));
    }
  });
});

/** What a receiver does not know after these deliveries. Throws for a change that is repeated or out of order. */
function unsettled(expected: Open, bodies: readonly string[]): readonly string[] {
  const ledger = new Ledger({ suppressed: new Set(SUPPRESSED.keys()) });
  for (const body of bodies) ledger.read(body, 0);
  return ledger.differences(expected);
}
