import { TARGET_FILE } from '../lockfiles/companions.ts';
import type { Companion } from '../lockfiles/format.ts';
import { checkSize } from '../lockfiles/read-as.ts';
import { CodedError, messageOf } from '../model/errors.ts';
import type { LockedPackage, Lockfile } from '../model/lockfile/lockfile.ts';
import type {
  Inventory,
  ResolvedLockfile,
  ResolvedPackage,
  UnreadError,
  UnreadLockfile,
} from '../model/scan/inventory.ts';
import type { Resolution } from '../model/scan/resolution.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import { INVENTORY } from '../model/stored/catalog.ts';
import { mapInSlices } from '../model/yielding.ts';
import { detectDataLoss } from '../policy/known-packages.ts';
import { JobError } from './errors.ts';
import type { Job, JobRun, RunContext } from './job.ts';
import { imageSteps } from './payloads/find-base-image.ts';
import {
  INGEST_LOCKFILES,
  type IngestedLockfile,
  type IngestLockfiles,
} from './payloads/ingest-lockfiles.ts';
import type { Ports } from './ports.ts';
import { scanFollowUps } from './scan/follow-ups.ts';
import { failedRecord, ingestedRecord } from './scan/record.ts';
import { referredAdvisories } from './scan/referred-advisories.ts';
import { readTargetSuppressions } from './scan/target-suppressions.ts';
import { contentHash, inputOf, repeatLastScan, reusableBasis, scopeOf } from './scan/unchanged.ts';
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
  limits: { attempts: 8, backoffMs: 2_000, maxBackoffMs: 300_000, timeoutMs: 600_000, concurrency: 2 },
  needs: ['blobs', 'insights', 'inspections', 'limits', 'lockfiles', 'targets', 'scans', 'reuse'],
  resultKind: INVENTORY,
  runsAfterStalls: true,
  endsWithOutcome: true,
  async run(payload, ports, context) {
    if (payload.lockfiles.length === 0) return imageAlone(payload);
    const state = await ports.targets.read(payload.target.id);
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

/** Unread lockfiles that a log line names. */
const MAX_LOGGED = 10;

interface ReadFile {
  readonly path: string;
  readonly sha256: string;
  readonly lockfile: Lockfile;
  /** Of the `.lockhound.yaml` beside it. */
  readonly suppressions: readonly Suppression[];
}

/** Workers died repeatedly while they read these files, so the scan continues without the files. */
function allUnread({ lockfiles }: IngestLockfiles): {
  read: readonly ReadFile[];
  unread: readonly UnreadLockfile[];
} {
  const unread = lockfiles.map((file): UnreadLockfile => {
    const message = `${file.path}: not read, because workers died repeatedly while they ran this scan`;
    const error = 'unread' in file ? file.unread : { code: 'worker-died', message };
    return { path: file.path, ...('unread' in file ? {} : { sha256: contentHash(file) }), error };
  });
  return { read: [], unread };
}

async function readAll(payload: IngestLockfiles, ports: Needs, context: RunContext) {
  const read: ReadFile[] = [];
  const unread: UnreadLockfile[] = [];
  const total = payload.lockfiles.length;
  for (const [index, file] of payload.lockfiles.entries()) {
    context.signal.throwIfAborted();
    context.progress({ step: 'read', done: index, total });
    if ('unread' in file) {
      unread.push({ path: file.path, error: file.unread });
      continue;
    }
    try {
      read.push(await readOne(file, ports, context.signal));
    } catch (error) {
      context.signal.throwIfAborted();
      unread.push({
        path: file.path,
        sha256: contentHash(file),
        error: unreadError(file.path, error, context),
      });
    }
  }
  context.progress({ step: 'read', done: total, total });
  return { read, unread };
}

/** Why a file is unread. Throws the error when another attempt may succeed; errors without a code count as retryable. */
function unreadError(path: string, error: unknown, { lastAttempt }: RunContext): UnreadError {
  const isCoded = error instanceof CodedError;
  if (isCoded ? error.retryable : !lastAttempt) throw error;
  if (isCoded) return { code: error.code, message: error.message };
  return { code: 'unexpected', message: `${path}: unexpected error: ${messageOf(error)}` };
}

async function readOne(file: ReadableLockfile, ports: Needs, signal: AbortSignal): Promise<ReadFile> {
  if ('bytes' in file) checkSize(file.path, file.bytes, ports.limits.lockfile);
  const companions = await Promise.all((file.companions ?? []).map((one) => companionOf(one, ports)));
  const settings = companions.find(({ name }) => name === TARGET_FILE);
  const request = {
    path: file.path,
    content: await contentOf(file, file.path, ports),
    companions: companions.filter((one) => one !== settings),
    limits: ports.limits.lockfile,
    format: file.format,
  };
  const lockfile = await ports.lockfiles.read(request, signal);
  const read = { path: file.path, sha256: contentHash(file) };
  if (settings === undefined) return { ...read, lockfile, suppressions: [] };
  const { suppressions, problems } = await readTargetSuppressions(settings, file.path);
  return {
    ...read,
    lockfile: { ...lockfile, problems: [...lockfile.problems, ...problems] },
    suppressions,
  };
}

/** When the service has lost data, a package that it does not know is not `missing`. */
function asFailedLookup(resolution: Resolution): Resolution {
  if (resolution.outcome !== 'missing') return resolution;
  return {
    outcome: 'failed',
    reason: `${resolution.reason}; it no longer knows most of the packages that it knew at the last scan`,
  };
}

type ReadableLockfile = Exclude<IngestedLockfile, { readonly unread: UnreadError }>;
type IngestedCompanion = NonNullable<IngestedLockfile['companions']>[number];
type Content = { readonly content: string } | { readonly sha256: string; readonly bytes: number };

async function companionOf(companion: IngestedCompanion, ports: Needs): Promise<Companion> {
  const { name } = companion;
  if ('unread' in companion) return { name, error: companion.unread };
  try {
    return { name, content: await contentOf(companion, name, ports) };
  } catch (error) {
    if (!(error instanceof CodedError) || error.retryable) throw error;
    return { name, error: { code: error.code, message: error.message } };
  }
}

async function contentOf(source: Content, path: string, { blobs }: Needs): Promise<Buffer> {
  if ('content' in source) return Buffer.from(source.content);
  return await blobs.read({ path, sha256: source.sha256, bytes: source.bytes });
}

async function withResolutions(
  files: readonly ReadFile[],
  resolutions: readonly Resolution[],
  keepsArtifacts: boolean,
): Promise<readonly ResolvedLockfile[]> {
  let next = 0;
  const resolved = (locked: LockedPackage): ResolvedPackage => {
    const resolution = resolutions[next++];
    if (resolution === undefined) throw new RangeError(`no resolution for ${locked.purl}`);
    if (keepsArtifacts) return { ...locked, resolution };
    const { id, ecosystem, name, version, purl, direct, groups, line, dependencies } = locked;
    return { id, ecosystem, name, version, purl, direct, groups, line, dependencies, resolution };
  };
  const inventories: ResolvedLockfile[] = [];
  for (const { path, sha256, lockfile, suppressions } of files) {
    const { format, problems } = lockfile;
    const packages = await mapInSlices(lockfile.packages, resolved);
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

function lookupsIncomplete(resolutions: readonly Resolution[], retryAfterMs: number | undefined): JobError {
  const failed = resolutions.filter((resolution) => resolution.outcome === 'failed');
  const reason = failed[0]?.reason ?? 'unknown reason';
  return new JobError(
    'lookups-incomplete',
    `${failed.length} of ${resolutions.length} packages could not be looked up: ${reason}`,
    { retryable: true, retryAfterMs },
  );
}
