import pLimit from 'p-limit';
import { type FleetStore, openFleetStore } from '../../compose/fleet-store.ts';
import { repositoryAccess } from '../../compose/worker/watch.ts';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { closing } from '../../model/closing.ts';
import { defined } from '../../model/defined.ts';
import { CodedError } from '../../model/errors.ts';
import { firstShard } from '../../operations/context.ts';
import { LOCAL_OPERATOR } from '../../operations/principal.ts';
import { findSchedule } from '../../operations/schedules/schedules.ts';
import { branchesOf, commitOf, openLocalRepository } from '../../sources/git/local-repository.ts';
import { withHistory } from '../../sources/git/read-repository.ts';
import { masked } from '../../sources/source-reader.ts';
import { requireLayout } from '../../store/shards/shard-layout.ts';
import { type ImportedHistory, type ImportOptions, importHistory } from './import-history.ts';

/** A history of ten thousand commits takes minutes. */
const TIMEOUT_MS = 4 * 3_600_000;

type Common = Pick<ImportOptions, 'since' | 'anew' | 'onProgress'> & Running;

interface Running {
  readonly signal: AbortSignal;
  /** Called before each of several targets with the number of those that are done. */
  readonly onTarget?: (done: number, total: number) => void;
}

/** The imports of several targets, each for itself. */
interface ImportedLedgers {
  readonly imported: readonly ImportedHistory[];
  /** Targets without a recorded scan. */
  readonly unscanned: readonly string[];
  readonly failed: readonly { readonly target: string; readonly reason: string }[];
}

/** The part of the id of a target that stands for the name of a branch. */
export const BRANCH = '$BRANCH';

/**
 * Imports the history of a repository on this machine: that of one ref, or without one that of each branch to a target of its own. Throws
 * `SourceError`, `LedgerError`, `StoreError`.
 */
export async function importRepository(
  loaded: LoadedConfig,
  { repository, target: id, ref, signal, onTarget, ...options }: RepositoryImport,
): Promise<ImportedHistory | ImportedLedgers> {
  const inherited = inheritedEnvironment();
  const git = await openLocalRepository(repository, { inherited, signal, timeoutMs: TIMEOUT_MS });
  const work = (target: string, tip: string): Work => ({
    target,
    run: (fleet) => importHistory(fleet.of(target), git, { ...options, target, tip }),
  });
  const one = ref === undefined ? undefined : work(id, await commitOf(git, ref));
  if (one !== undefined) return await closing(openFleetStore(loaded), (fleet) => importOne(fleet, one.run));
  const works = [...(await branchesOf(git))].sort().map(([branch, tip]) =>
    work(
      id.replaceAll(BRANCH, () => branch),
      tip,
    ),
  );
  return await closing(openFleetStore(loaded), (fleet) =>
    importEach(fleet, works, { signal, ...defined({ onTarget }) }),
  );
}

interface RepositoryImport extends Common {
  /** Folder of the repository, or in it. */
  readonly repository: string;
  readonly target: string;
  readonly ref: string | undefined;
}

/** Imports the histories of the repositories that a schedule read, or all schedules, to the targets of the schedule. Throws `Refusal`. */
export async function importSchedules(
  loaded: LoadedConfig,
  { schedule, signal, onTarget, ...options }: Common & { readonly schedule: string | undefined },
): Promise<ImportedLedgers> {
  const access = { ...repositoryAccess(loaded), signal };
  return await closing(openFleetStore(loaded), async (fleet) => {
    const named = schedule === undefined ? undefined : await findSchedule(fleet, LOCAL_OPERATOR, schedule);
    const all = named === undefined ? await firstShard(fleet).schedules.list() : [named];
    const names = all.filter(({ removed }) => removed !== true).map(({ name }) => name);
    const parts = fleet.shards.flatMap(({ schedules }) => names.map((name) => schedules.targets(name)));
    const works = (await Promise.all(parts)).flat().flatMap(({ target: { id: target }, source, readAt }) => {
      // Others may scan a target that the schedule has never read.
      if (source.kind !== 'git' || readAt === undefined) return [];
      const { exclude } = source;
      const run = () =>
        withHistory(source, access, (git, tip) =>
          importHistory(fleet.of(target), git, { ...options, target, tip, exclude, threads: THREADS }),
        ).catch((error: unknown) => {
          throw masked(access.credentials, error);
        });
      return { target, run };
    });
    return await importEach(fleet, works, { signal, ...defined({ onTarget }) });
  });
}

export interface Work {
  readonly target: string;
  readonly run: (fleet: FleetStore) => Promise<ImportedHistory>;
}

/** Throws `shards-moving` or `shards-differ` when a move may have copied the target before its history was written. */
async function importOne(fleet: FleetStore, run: Work['run']): Promise<ImportedHistory> {
  try {
    return await run(fleet);
  } finally {
    requireLayout(await firstShard(fleet).layouts.read(), fleet.shards.length);
  }
}

/** Imports at the same time: a slow repository does not stop the others, and two bound the memory and what git receives at once. */
const AT_ONCE = 2;
/** Threads of each of them. */
const THREADS = 2;

/** Imports each for itself, two at a time. One that fails keeps none of the others. The results are in the order of `works`. */
export async function importEach(
  fleet: FleetStore,
  works: readonly Work[],
  { signal, onTarget }: Running,
): Promise<ImportedLedgers> {
  const limit = pLimit(AT_ONCE);
  let [done, isEnded] = [0, false];
  const importNext = async ({ target, run }: Work) => {
    if (isEnded) return {};
    onTarget?.(done, works.length);
    try {
      signal.throwIfAborted();
      return { imported: await importOne(fleet, run) };
    } catch (error) {
      isEnded ||= signal.aborted || !(error instanceof CodedError) || error.code.startsWith('shards-');
      if (isEnded) throw error;
      const { code, message } = error as CodedError;
      return code === 'target-unknown' ? { unscanned: target } : { failed: { target, reason: message } };
    } finally {
      done += 1;
    }
  };
  // The stores are open until all have ended.
  const ended = await Promise.allSettled(works.map((work) => limit(importNext, work)));
  signal.throwIfAborted();
  const results = ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  return {
    imported: results.flatMap(({ imported = [] }) => imported),
    unscanned: results.flatMap(({ unscanned = [] }) => unscanned),
    failed: results.flatMap(({ failed = [] }) => failed),
  };
}
