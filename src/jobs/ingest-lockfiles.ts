import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { Inventory, ResolvedLockfile, ResolvedPackage } from '../model/scan/inventory.ts';
import type { Resolution } from '../model/scan/resolution.ts';
import { INVENTORY } from '../model/stored/catalog.ts';
import { inSlices, mapInSlices } from '../model/yielding.ts';
import { detectDataLoss } from '../policy/known-packages.ts';
import { withoutFuture } from '../policy/scan-order.ts';
import { JobError } from './errors.ts';
import type { Job, JobRun } from './job.ts';
import { imageSteps } from './payloads/find-base-image.ts';
import { INGEST_LOCKFILES, type IngestLockfiles } from './payloads/ingest-lockfiles.ts';
import type { Ports } from './ports.ts';
import { scanFollowUps } from './scan/follow-ups.ts';
import { allUnread, type ReadFile, readAll } from './scan/read-lockfiles.ts';
import { failedRecord, ingestedRecord } from './scan/record.ts';
import { referredAdvisories } from './scan/referred-advisories.ts';
import { inputOf, repeatLastScan, reusableBasis, scopeOf } from './scan/unchanged.ts';
import { inspectionsOf } from './signals/new-packages.ts';

type Needs = Pick<
  Ports,
  'blobs' | 'insights' | 'inspections' | 'limits' | 'lockfiles' | 'targets' | 'scans' | 'reuse'
>;

/**
 * Reads the lockfiles of a scan and resolves every package. Followed by `judge-scan` with `collect-advisories` and
 * `expand-dependencies` as children.
 *
 * A scan of the lockfiles that the target's last one read repeats its result while the facts are fresh.
 *
 * Lockfiles that cannot be read and packages that cannot be looked up are part of the result. Look-ups that may succeed later
 * are retried by the queue.
 */
export const ingestLockfiles: Job<IngestLockfiles, Inventory, keyof Needs> = {
  ...INGEST_LOCKFILES,
  target: ({ target }) => target.id,
  // With two, a worker is idle while both wait for Redis. Large lockfiles are read in two threads at most.
  limits: { attempts: 8, backoffMs: 2_000, maxBackoffMs: 300_000, timeoutMs: 600_000, concurrency: 3 },
  needs: ['blobs', 'insights', 'inspections', 'limits', 'lockfiles', 'targets', 'scans', 'reuse'],
  resultKind: INVENTORY,
  runsAfterStalls: true,
  endsWithOutcome: true,
  joinsFollowUp: ({ lockfiles }) =>
    lockfiles.reduce((sum, { packages }) => sum + packages.length, 0) <= MAX_JOINED,
  async run(payload, ports, context) {
    if (payload.lockfiles.length === 0 && payload.image !== undefined) return imageAlone(payload);
    const state = withoutFuture(await ports.targets.read(payload.target.id), context.startedAt);
    const input = inputOf(payload, ports.reuse, context.startedAt);
    const basis = reusableBasis(state, scopeOf(payload), input, ports.reuse);
    if (state !== undefined && basis !== undefined) return repeatLastScan(payload, state, basis);
    const { read, unread } = context.stalled ? allUnread(payload) : await readAll(payload, ports, context);
    const packages = read.flatMap((file) => file.lockfile.packages);
    const answer = await ports.insights.resolve(packages, {
      signal: context.signal,
      progress: (done, total) => context.progress({ step: 'resolve', done, total }),
    });
    if (answer.retryable && !context.lastAttempt) {
      throw lookupsIncomplete(answer.resolutions, answer.retryAfterMs);
    }
    const loss = await detectDataLoss(state?.known, packages, answer.resolutions, payload.requestedAt);
    const resolutions =
      loss === undefined ? answer.resolutions : await mapInSlices(answer.resolutions, asFailedLookup);
    const result: Inventory = {
      lockfiles: await withResolutions(read, resolutions, ports.limits.keepsArtifacts),
      unread,
      readAt: context.startedAt,
      ...(loss === undefined ? {} : { forgotten: loss }),
      ...(input === undefined ? {} : { input }),
      ...(payload.image === undefined ? {} : { image: payload.image }),
    };
    const inspected = await inspectionsOf(
      { ...payload, isFirst: state === undefined },
      packages,
      resolutions,
      ports,
      scriptsStatedIn(read),
    );
    const isApart = ports.inspections.mode === 'apart';
    const judgement = await scanFollowUps(payload, result, {
      advisories: await unknownAdvisories(result, ports),
      others: isApart ? [] : inspected,
    });
    return {
      result,
      next: isApart ? [judgement, ...inspected] : [judgement],
      record: ingestedRecord(payload, result),
    };
  },
  async onEnd(payload, ending, { scans }) {
    if (ending.kind === 'failed') await scans.fail(failedRecord(payload, ending.reason));
  },
  log: ({ scan, target }, { lockfiles, unread, unchanged }) => ({
    facts: {
      scan,
      target: target.id,
      ...(unchanged === undefined ? {} : { unchanged: true }),
      lockfiles: lockfiles.length,
      packages: lockfiles.reduce((sum, { packages }) => sum + packages.length, 0),
      ...(unread.length === 0
        ? {}
        : { unread: unread.slice(0, MAX_LOGGED).map(({ error }) => error.message) }),
    },
    warning: unread.length === 0 ? undefined : `${unread.length} lockfiles were not read`,
  }),
};

/** A scan that names an image and no lockfile: the verdict on the image is the verdict of the scan. */
function imageAlone(payload: IngestLockfiles): JobRun<Inventory> {
  const result: Inventory = { lockfiles: [], unread: [] };
  return { result, next: imageSteps(payload, payload.image), record: ingestedRecord(payload, result) };
}

/** The advisories that have to be fetched: not those that `judge-scan` can read as they are. */
async function unknownAdvisories(
  inventory: Inventory,
  { insights }: Pick<Ports, 'insights'>,
): Promise<readonly string[]> {
  const ids = [...(await referredAdvisories(inventory))];
  const cached = await insights.cachedAdvisories(ids);
  return ids.filter((id) => !cached.has(id));
}

/** Packages that are read and judged again when a worker dies between the two: some hundred milliseconds. */
const MAX_JOINED = 2_000;

/** Unread lockfiles that a log line names. */
const MAX_LOGGED = 10;

function scriptsStatedIn(files: readonly ReadFile[]): (locked: LockedPackage) => boolean {
  const stating = files.filter(({ lockfile }) => lockfile.statesScripts === true);
  if (stating.length === files.length) return () => true;
  const packages = new Set(stating.flatMap(({ lockfile }) => lockfile.packages));
  return (locked) => packages.has(locked);
}

/** When the service has lost data, a package that it does not know is not `missing`. */
function asFailedLookup(resolution: Resolution): Resolution {
  if (resolution.outcome !== 'missing') return resolution;
  return {
    outcome: 'failed',
    reason: `${resolution.reason}; it no longer knows most of the packages that it knew at the last scan`,
  };
}

async function withResolutions(
  files: readonly ReadFile[],
  resolutions: readonly Resolution[],
  keepsArtifacts: boolean,
): Promise<readonly ResolvedLockfile[]> {
  let next = 0;
  const inventories: ResolvedLockfile[] = [];
  for (const { path, sha256, lockfile, suppressions } of files) {
    const { format, problems } = lockfile;
    const packages: ResolvedPackage[] = [];
    for await (const slice of inSlices(lockfile.packages)) {
      for (const locked of slice) packages.push(withResolution(locked, resolutions[next++], keepsArtifacts));
    }
    inventories.push({
      path,
      sha256,
      format,
      packages,
      problems,
      ...(suppressions.length === 0 ? {} : { suppressions }),
    });
  }
  return inventories;
}

function withResolution(
  locked: LockedPackage,
  resolution: Resolution | undefined,
  keepsArtifacts: boolean,
): ResolvedPackage {
  if (resolution === undefined) throw new RangeError(`no resolution for ${locked.purl}`);
  if (keepsArtifacts) return { ...locked, resolution };
  const { id, ecosystem, name, version, purl, direct, groups, line, dependencies } = locked;
  return { id, ecosystem, name, version, purl, direct, groups, line, dependencies, resolution };
}

function lookupsIncomplete(resolutions: readonly Resolution[], retryAfterMs: number | undefined): JobError {
  const failed = resolutions.filter((resolution) => resolution.outcome === 'failed');
  const reason = failed[0]?.reason ?? 'unknown reason';
  return new JobError(
    'lookups-incomplete',
    `${failed.length} of ${resolutions.length} packages could not be looked up: ${reason}`,
    { retryable: true, retryAfterMs },
  );
}
