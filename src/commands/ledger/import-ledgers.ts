import { type FleetStore, openFleetStore } from '../../compose/fleet-store.ts';
import { repositoryAccess } from '../../compose/worker/watch.ts';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { CodedError } from '../../model/errors.ts';
import { timeLimit } from '../../model/time-limit.ts';
import type { WatchedTarget } from '../../model/watch/schedule.ts';
import { branchesOf, commitOf, openLocalRepository } from '../../sources/git/local-repository.ts';
import { withHistory } from '../../sources/git/read-repository.ts';
import { masked } from '../../sources/source-reader.ts';
import { LedgerError } from '../errors.ts';
import { type ImportedHistory, type ImportOptions, importHistory } from './import-history.ts';

/** A history of ten thousand commits takes minutes. */
const TIMEOUT_MS = 4 * 3_600_000;

type Common = Pick<ImportOptions, 'since' | 'anew' | 'onProgress'> & { readonly signal: AbortSignal };

interface RepositoryImport extends Common {
  /** Folder of the repository, or in it. */
  readonly repository: string;
  readonly target: string;
}

/** The imports of several targets, each for itself. */
interface ImportedLedgers {
  readonly imported: readonly ImportedHistory[];
  /** Targets without a recorded scan. */
  readonly unscanned: readonly string[];
  readonly failed: readonly { readonly target: string; readonly reason: string }[];
}

/** Imports the history of one ref of a repository on this machine. Throws `SourceError`, `LedgerError`, `StoreError`. */
export async function importRepository(
  loaded: LoadedConfig,
  { repository, target, ref, signal, ...options }: RepositoryImport & { readonly ref: string },
): Promise<ImportedHistory> {
  const git = await openHere(repository, signal);
  const tip = await commitOf(git, ref);
  return await withFleet(loaded, (fleet) =>
    importHistory(fleet.of(target), git, { ...options, target, tip }),
  );
}

/** The part of the id of a target that stands for the name of a branch. */
export const BRANCH = '$BRANCH';

/** Imports the history of each branch of a repository on this machine to a target of its own. Throws `SourceError`. */
export async function importBranches(
  loaded: LoadedConfig,
  { repository, target: template, signal, ...options }: RepositoryImport,
): Promise<ImportedLedgers> {
  const git = await openHere(repository, signal);
  const branches = [...(await branchesOf(git))].sort();
  const works = branches.map(([branch, tip]) => {
    const target = template.replaceAll(BRANCH, () => branch);
    return {
      target,
      run: (fleet: FleetStore) => importHistory(fleet.of(target), git, { ...options, target, tip }),
    };
  });
  return await withFleet(loaded, (fleet) => importEach(fleet, works, signal));
}

/**
 * Imports the histories of the repositories that a schedule read, or all schedules, each to the target of the schedule. Throws `LedgerError`
 * (`schedule-unknown`).
 */
export async function importSchedules(
  loaded: LoadedConfig,
  { schedule, signal, ...options }: Common & { readonly schedule: string | undefined },
): Promise<ImportedLedgers> {
  const access = { ...repositoryAccess(loaded), maxBytes: loaded.config.lockfiles.maxBytes };
  return await withFleet(loaded, async (fleet) => {
    const works = (await watchedBy(fleet, schedule)).flatMap(({ target: { id: target }, source, readAt }) => {
      // Others may scan a target that the schedule has never read.
      if (source.kind !== 'git' || readAt === undefined) return [];
      const run = async () => {
        const limit = timeLimit(TIMEOUT_MS, signal);
        try {
          return await withHistory(source, { ...access, signal: limit.signal }, (git, tip) =>
            importHistory(fleet.of(target), git, { ...options, target, tip, exclude: source.exclude }),
          );
        } catch (error) {
          throw masked(access.credentials, error);
        } finally {
          limit.release();
        }
      };
      return { target, run };
    });
    return await importEach(fleet, works, signal);
  });
}

/** The targets of a schedule, or of all schedules. */
async function watchedBy(fleet: FleetStore, name: string | undefined): Promise<readonly WatchedTarget[]> {
  const [first] = fleet.shards;
  const all = (await first?.schedules.list())?.filter(({ removed }) => removed !== true) ?? [];
  const wanted = all.filter((one) => name === undefined || one.name === name);
  if (wanted.length === 0 && name !== undefined)
    throw new LedgerError('schedule-unknown', `there is no schedule ${name}: see \`lockhound schedules\``);
  const parts = fleet.shards.flatMap(({ schedules }) => wanted.map((one) => schedules.targets(one.name)));
  return (await Promise.all(parts)).flat();
}

interface Work {
  readonly target: string;
  readonly run: (fleet: FleetStore) => Promise<ImportedHistory>;
}

/** Imports one after the other: each takes all processors. One that fails keeps none of the others. */
async function importEach(
  fleet: FleetStore,
  works: readonly Work[],
  signal: AbortSignal,
): Promise<ImportedLedgers> {
  const imported: ImportedHistory[] = [];
  const unscanned: string[] = [];
  const failed: { target: string; reason: string }[] = [];
  for (const { target, run } of works) {
    try {
      imported.push(await run(fleet));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CodedError)) throw error;
      if (error.code === 'target-unknown') unscanned.push(target);
      else failed.push({ target, reason: error.message });
    }
  }
  return { imported, unscanned, failed };
}

async function withFleet<Result>(
  loaded: LoadedConfig,
  use: (fleet: FleetStore) => Promise<Result>,
): Promise<Result> {
  const fleet = await openFleetStore(loaded);
  try {
    return await use(fleet);
  } finally {
    await fleet.close();
  }
}

function openHere(repository: string, signal: AbortSignal) {
  return openLocalRepository(repository, {
    inherited: inheritedEnvironment(),
    signal,
    timeoutMs: TIMEOUT_MS,
  });
}
