import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { ScheduleConfig } from '../../config/sections/watch.ts';
import { publicAddressesOnly } from '../../http/address-guard.ts';
import { createHttpClient } from '../../http/undici-client.ts';
import type { FollowUp } from '../../jobs/job.ts';
import { runDue, sourceFailing, sourceResolved } from '../../jobs/payloads/sources.ts';
import type { Ports } from '../../jobs/ports.ts';
import { defined } from '../../model/defined.ts';
import type { Schedule, WatchedTarget } from '../../model/watch/schedule.ts';
import type { RepositoryAccess } from '../../sources/git/read-repository.ts';
import { createSourceReader } from '../../sources/source-reader.ts';
import { listTargets } from '../../sources/target-list.ts';
import type { Schedule as Starts, StoredSchedules } from '../../workers/schedules.ts';
import type { Store, Stores } from '../store.ts';

/** Names of stored schedules in BullMQ begin with it. */
const PREFIX = 'watch-';
/** Largest size of all lockfiles of one target. */
const MAX_TOTAL_BYTES = 1_073_741_824;

/** The schedules that are kept in Redis, and the sources that they read. Each shard runs them for its own targets. */
export function openWatch(loaded: LoadedConfig, stores: Pick<Stores, 'shards' | 'of'>) {
  const { config } = loaded;
  const access = repositoryAccess(loaded);
  const http = createHttpClient({
    service: 'source',
    guard: access.guard,
    totalTimeoutMs: config.watch.timeout,
    maxResponseBytes: config.lockfiles.maxBytes,
  });
  const read = createSourceReader({
    ...access,
    http,
    // All shards share the contents.
    put: (stores.shards[0] as Store).blobs.put,
    limits: { maxLockfileBytes: config.lockfiles.maxBytes, maxTotalBytes: MAX_TOTAL_BYTES },
    timeoutMs: config.watch.timeout,
  });
  return {
    of(shard: Store) {
      const sources: Ports['sources'] = {
        list: async (schedule, signal) =>
          (await listTargets(schedule, signal)).filter(({ target }) => stores.of(target) === shard),
        read,
      };
      return {
        sources,
        schedules: schedulePort(shard),
        stored: storedSchedules(shard),
        unwatched: unwatchedTargets(shard, config.watch.unwatchedAfter),
      };
    },
    close: () => http.close(),
  };
}

/** How the repositories of schedules are reached. */
export function repositoryAccess(loaded: LoadedConfig): RepositoryAccess {
  const { watch } = loaded.config;
  return {
    guard: publicAddressesOnly(watch.allowAddresses),
    credentials: credentialsOf(loaded),
    inherited: inheritedEnvironment(),
    workFolder: watch.folder ?? join(tmpdir(), `lockhound-${process.getuid?.() ?? 'sources'}`),
    maxRepositoryBytes: watch.maxRepositoryBytes,
  };
}

/**
 * Writes the schedules of the configuration to Redis. A paused one stays paused. Those of an earlier configuration are
 * removed, and a command's schedule of the same name is replaced.
 */
export async function storeConfiguredSchedules(
  { config }: LoadedConfig,
  { schedules }: Pick<Store, 'schedules'>,
  log: Logger,
): Promise<void> {
  const known = new Map((await schedules.list()).map((one) => [one.name, one]));
  for (const configured of config.schedules) {
    const before = known.get(configured.name);
    known.delete(configured.name);
    if (before?.origin === 'command' && before.removed !== true) {
      log.warn(
        { schedule: configured.name },
        'a schedule of the configuration replaces one that a command added',
      );
    }
    const paused = before?.removed !== true && before?.paused === true;
    await schedules.put(scheduleOf(configured, { origin: 'configuration', paused }));
  }
  for (const left of known.values()) {
    if (left.origin === 'configuration' && left.removed !== true) {
      await schedules.put({ ...left, removed: true });
    }
  }
}

/** A schedule in the form in which it is stored. */
export function scheduleOf(
  { name, source, target, labels, every, cron, timeZone = 'UTC', jitter }: ScheduleConfig,
  facts: Pick<Schedule, 'origin' | 'paused'>,
): Schedule {
  return {
    name,
    source,
    ...defined({ target }),
    labels,
    times: cron === undefined ? { everyMs: every ?? 0 } : { cron, timeZone },
    jitterMs: jitter,
    ...facts,
  };
}

/** The starts of a stored schedule. */
export function startsOf({ name, times, jitterMs }: Schedule): Starts {
  return { ...times, name: startName(name), jitterMs, start: (due) => [runDue(name, due)] };
}

/** The name of a stored schedule in BullMQ. */
export function startName(schedule: string): string {
  return PREFIX + schedule;
}

function storedSchedules({ schedules }: Pick<Store, 'schedules'>): StoredSchedules {
  return {
    isStored: (name) => name.startsWith(PREFIX),
    list: async () => (await schedules.list()).filter(hasStarts).map(startsOf),
    async find(name) {
      if (!name.startsWith(PREFIX)) return undefined;
      const found = await schedules.find(name.slice(PREFIX.length));
      return found !== undefined && hasStarts(found) ? startsOf(found) : undefined;
    },
  };
}

function hasStarts({ paused, removed }: Schedule): boolean {
  return !paused && removed !== true;
}

function schedulePort({ schedules, blobs }: Pick<Store, 'schedules' | 'blobs'>): Ports['schedules'] {
  return {
    ...schedules,
    async reading(schedule, target) {
      const reading = await schedules.reading(schedule, target);
      if (reading === undefined) return undefined;
      const contents = reading.files.flatMap((file) => [file, ...(file.companions ?? [])]);
      const hashes = new Set(contents.flatMap((one) => ('sha256' in one ? [one.sha256] : [])));
      return (await blobs.keep([...hashes])) ? reading : undefined;
    },
  };
}

function credentialsOf({ config, secrets }: LoadedConfig) {
  return new Map(
    Object.entries(config.credentials).flatMap(([name, { hosts, username, header }]) => {
      const secret = secrets.credentials?.get(name);
      return secret === undefined ? [] : [[name, { hosts, username, header, secret }] as const];
    }),
  );
}

const SHORTEST_MS = 250;
const LONGEST_MS = 60_000;

/**
 * Looks for targets whose source could not be read for too long, which are then alerts; and for schedules that were removed, whose
 * alerts are resolved before they are forgotten. `unwatchedAfter`: in milliseconds.
 */
function unwatchedTargets({ schedules }: Pick<Store, 'schedules'>, unwatchedAfter: number): Starts {
  return {
    name: 'unwatched-targets',
    everyMs: Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, unwatchedAfter / 4))),
    async start(due) {
      const byName = new Map((await schedules.list()).map((one) => [one.name, one]));
      const next: FollowUp[] = [];
      const used = new Set<string>();
      for (const { schedule: name, target } of await schedules.failing()) {
        const entry = await schedules.target(name, target);
        if (entry?.failing === undefined) continue;
        used.add(name);
        const verdict = verdictOn(byName.get(name), entry, { due, unwatchedAfter });
        if (verdict !== undefined) next.push(verdict);
      }
      for (const { name, removed } of byName.values()) {
        if (removed === true && !used.has(name)) await schedules.forget(name);
      }
      return next;
    },
  };
}

function verdictOn(
  schedule: Schedule | undefined,
  entry: WatchedTarget,
  { due, unwatchedAfter }: { readonly due: Date; readonly unwatchedAfter: number },
): FollowUp | undefined {
  if (schedule === undefined || entry.failing === undefined) return undefined;
  if (schedule.removed === true) return sourceResolved('dropped', schedule.name, entry, due.toISOString());
  const isOverdue = due.getTime() - Date.parse(entry.failing.since) >= unwatchedAfter;
  return isOverdue && !schedule.paused ? sourceFailing(schedule.name, entry, due.toISOString()) : undefined;
}
