import type { LoadedConfig } from '../config/load.ts';
import { JOBS } from '../jobs/catalog.ts';
import type { HealthVerdict } from '../model/api/lockhound-api.generated.ts';
import { messageOf } from '../model/errors.ts';
import { broken } from '../model/fleet/checks.ts';
import { within } from '../model/time-limit.ts';
import type { FleetNumbers } from '../server/metrics/fleet-numbers.ts';
import { judgeHealth, nothingWorks, unreachableVerdict } from '../server/verdict/verdict.ts';
import { unfinishedMove } from '../store/shards/shard-layout.ts';
import { isFollowing } from './advisory-feed.ts';
import { openFleetNumbers } from './fleet-numbers.ts';
import type { Store, Stores } from './store.ts';

const PINGS = 5;
const LIMIT_MS = 5_000;

/**
 * Returns a function that judges the whole deployment, for the command, the API and the page. Its cost does not grow with the number of
 * jobs. It never rejects: without an answer of Redis within 5 s the verdict says so.
 */
export function openHealth(
  { config }: LoadedConfig,
  { shards }: Pick<Stores, 'shards'>,
  readNumbers: () => Promise<FleetNumbers> = openFleetNumbers(shards, config.watch.staleAfter),
) {
  const [first] = shards as readonly [Store, ...Store[]];
  const { watch, insights, worker } = config;
  const concurrency = new Map(JOBS.map(({ name, limits }) => [name, limits.concurrency]));
  const read = async (): Promise<HealthVerdict> => {
    const [redisMs, now] = [await roundTrip(first), await timeOf(first)];
    const move = (await first.layouts.read())?.move;
    if (move !== undefined) {
      const says = `the number of shards is being changed from ${move.from} to ${move.to}`;
      return nothingWorks(says, broken(says, unfinishedMove(move)), now);
    }
    const [numbers, presences, positions] = await Promise.all([
      readNumbers(),
      first.workers.list(now),
      isFollowing(config) ? first.advisoryChanges.positions() : [],
    ]);
    const read = new Map(positions);
    const ecosystems = isFollowing(config) ? config.data.osv.ecosystems : [];
    return judgeHealth({
      ...{ numbers, workers: presences, shards: shards.length, redisMs, concurrency, now },
      feeds: ecosystems.map((one) => [one, read.get(one)] as const),
      settings: {
        refreshEveryMs: watch.every,
        staleAfterMs: watch.staleAfter,
        requestsPerSecond: insights.requestsPerSecond,
        recordEveryMs: worker.lockDuration / 3,
      },
    });
  };
  return async (): Promise<HealthVerdict> => {
    try {
      if (first.redis.status !== 'ready') throw new Error(`the connection is ${first.redis.status}`);
      return await within(read(), LIMIT_MS);
    } catch (error) {
      return unreachableVerdict(messageOf(error), Date.now());
    }
  };
}

/** The median of some round trips in milliseconds. */
export async function roundTrip({ redis }: Pick<Store, 'redis'>): Promise<number> {
  const times: number[] = [];
  for (let ping = 0; ping < PINGS; ping += 1) {
    const started = performance.now();
    await redis.ping();
    times.push(performance.now() - started);
  }
  return times.toSorted((left, right) => left - right)[Math.floor(PINGS / 2)] ?? 0;
}

/** The clock of Redis in ms since 1970: that of this process may differ from those of the workers. */
export async function timeOf({ redis }: Pick<Store, 'redis'>): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
}
