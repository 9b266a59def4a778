import { defined } from '../model/defined.ts';
import type { Inventory, UnreadLockfile } from '../model/scan/inventory.ts';
import { INVENTORY } from '../model/stored/catalog.ts';
import { chunks, mapInSlices } from '../model/yielding.ts';
import { compareText } from '../policy/finding-order.ts';
import { withoutFuture } from '../policy/scan-order.ts';
import { referredAdvisories } from '../scan/advisories.ts';
import { keysToExpand } from '../scan/graphs.ts';
import { type AllRead, contentHash, packagesIn, readLockfiles } from '../scan/read.ts';
import { resolveLockfiles } from '../scan/resolve.ts';
import { collectAdvisories } from './collect-advisories.ts';
import { othersFirst, requireSameRelease } from './errors.ts';
import { expandDependencies } from './expand-dependencies.ts';
import { type FollowUp, followUp, type Job, type JobRun, type RunContext } from './job.ts';
import { INGEST_LOCKFILES, type IngestLockfiles } from './payloads/ingest-lockfiles.ts';
import { INSPECT_PACKAGES } from './payloads/inspect-packages.ts';
import { imageSteps, JUDGE_SCAN, type JudgeScan } from './payloads/judge-scan.ts';
import { releaseOf } from './payloads/release.ts';
import type { Ports } from './ports.ts';
import { isOpenException } from './scan/prove-exceptions.ts';
import { failedRecord, ingestedRecord, type ScanHeader } from './scan/record.ts';
import { inputOf, repeatLastScan, reusableBasis, scopeOf } from './scan/unchanged.ts';
import { inspectionsOf, scriptsStatedIn } from './signals/new-packages.ts';

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
  resultKind: INVENTORY,
  hasInput: async ({ lockfiles }, { blobs }) => {
    const contents = lockfiles.flatMap((file) => [file, ...(file.companions ?? [])]);
    return await blobs.keep([...new Set(contents.flatMap((one) => ('sha256' in one ? [one.sha256] : [])))]);
  },
  runsAfterStalls: true,
  joinsFollowUp: ({ lockfiles }) =>
    lockfiles.reduce((sum, { packages }) => sum + packages.length, 0) <= MAX_JOINED,
  async run(payload, ports, context) {
    if (payload.lockfiles.length === 0 && payload.image !== undefined) return imageAlone(payload);
    const state = withoutFuture(await ports.targets.read(payload.target.id), context.startedAt);
    const release = releaseOf(payload);
    requireSameRelease(payload.target.id, state, release);
    const input = inputOf(payload, ports.reuse, context.startedAt);
    const basis = reusableBasis(state, scopeOf(payload), input, ports.reuse);
    if (state !== undefined && basis !== undefined) return repeatLastScan(payload, state, basis);
    const read = context.stalled
      ? unreadAfterStalls(payload.lockfiles)
      : await readAll(payload, ports, context);
    const { inventory, resolutions } = await resolveLockfiles(
      read,
      {
        insights: ports.insights,
        readAt: context.startedAt,
        keepsArtifacts: false,
      },
      context,
    );
    const result: Inventory = {
      ...inventory,
      ...defined({ input, image: payload.image, revision: payload.revision, release }),
    };
    const inspections = await inspectionsOf(
      { ...payload, isFirst: state === undefined },
      packagesIn(read),
      resolutions,
      ports.inspections,
      scriptsStatedIn(read),
    );
    const judgement = await scanFollowUps(
      payload,
      result,
      await unknownAdvisories(result, ports),
      context.startedAt,
      lookUpsOf(payload, read),
    );
    return {
      result,
      next: [judgement, ...inspections.map((part) => followUp(INSPECT_PACKAGES, part))],
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

/** The lockfiles of a full scan that alone do not decide about exceptions. */
function lookUpsOf({ lockfiles, partial }: IngestLockfiles, { read }: AllRead): Pick<JudgeScan, 'lookUps'> {
  const open = new Set(read.flatMap((one) => (one.exceptions.some(isOpenException) ? one.path : [])));
  const lookUps = lockfiles.filter(({ path }) => open.has(path));
  return partial === true || lookUps.length === 0 ? {} : { lookUps };
}

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

/** Lockfiles of this many bytes, companions included, are read in less time than a job waits for another one. */
const LARGE_BYTES = 1_048_576;

/**
 * Reads the lockfiles of a scan. Throws a postponing `JobError` (`others-first`) while this process reads large lockfiles of the same
 * target: scans of one target would keep all others waiting.
 */
async function readAll(
  { target, lockfiles }: IngestLockfiles,
  ports: Pick<Ports, 'blobs' | 'limits' | 'lockfiles'>,
  context: RunContext,
): Promise<AllRead> {
  const { limits, blobs } = ports;
  const reading = { limits: limits.lockfile, read: ports.lockfiles.read, stored: blobs.read };
  const isLarge = ports.lockfiles.reserve !== undefined && bytesOf(lockfiles) >= LARGE_BYTES;
  const release = isLarge ? ports.lockfiles.reserve?.(target.id) : () => {};
  if (release === undefined) throw othersFirst(`another scan of ${target.id} is being read`);
  try {
    return await readLockfiles(lockfiles, reading, context);
  } finally {
    release();
  }
}

/** Workers died repeatedly while they read these files, so the scan continues without the files. */
function unreadAfterStalls(lockfiles: IngestLockfiles['lockfiles']): AllRead {
  const unread = lockfiles.map((file): UnreadLockfile => {
    const message = `${file.path}: not read, because workers died repeatedly while they ran this scan`;
    const error = 'unread' in file ? file.unread : { code: 'worker-died', message };
    return { path: file.path, ...('unread' in file ? {} : { sha256: contentHash(file) }), error };
  });
  return { read: [], unread };
}

/** Size of all files with their companions. */
function bytesOf(lockfiles: IngestLockfiles['lockfiles']): number {
  const all = lockfiles.flatMap((file) => ('unread' in file ? [] : [file, ...(file.companions ?? [])]));
  const sizes = all.map((one) => {
    if ('content' in one) return one.content.length;
    return 'bytes' in one ? one.bytes : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Few, so that a failed job loses little. */
const ADVISORIES_PER_JOB = 50;
/** One flow queues all of them: more advisories make larger jobs, not more. */
const MAX_ADVISORY_JOBS = 500;
/** The limit of the payload. */
const MAX_ADVISORIES_PER_JOB = 1_000;
const GRAPHS_PER_JOB = 25;

/** The flow that follows an inventory: `judge-scan`, with the jobs that fetch its facts as children. */
export async function scanFollowUps(
  header: ScanHeader,
  inventory: Inventory,
  /** The advisories to fetch. */
  referred: readonly string[],
  /** ms since 1970. */
  dividedAt: number,
  lookUps: Pick<JudgeScan, 'lookUps'> = {},
): Promise<FollowUp> {
  const { scan, target, requestedAt } = header;
  const ids = [...referred].toSorted(compareText);
  const advisories = chunks(ids, advisoriesPerJob(ids.length));
  const expansions = chunks(keysToExpand(inventory), GRAPHS_PER_JOB);
  return followUp(
    JUDGE_SCAN,
    {
      scan,
      target,
      requestedAt,
      dividedAt,
      advisoryParts: advisories.length,
      expansionParts: expansions.length,
      ...(header.partial === true ? { partial: true as const } : {}),
      ...lookUps,
    },
    [
      ...(await mapInSlices(advisories, (part, index) =>
        followUp(collectAdvisories, { scan, dividedAt, part: index, ids: [...part] }),
      )),
      ...expansions.map((versionKeys, part) =>
        followUp(expandDependencies, { scan, dividedAt, part, versionKeys: [...versionKeys] }),
      ),
    ],
  );
}

function advisoriesPerJob(count: number): number {
  const even = Math.ceil(count / MAX_ADVISORY_JOBS);
  return Math.min(Math.max(ADVISORIES_PER_JOB, even), MAX_ADVISORIES_PER_JOB);
}
