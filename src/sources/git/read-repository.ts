import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { SourceReading, SourceRevision, TargetSource } from '../../model/watch/source.ts';
import { SourceError } from '../errors.ts';
import { type PutContent, type ReadingLimits, requireFiles } from '../stored-files.ts';
import { gitEnvironment, type RemoteOptions } from './git-environment.ts';
import { type Git, runGit, textOf } from './git-process.ts';
import { readTreeLockfiles } from './tree-lockfiles.ts';

type GitSource = Extract<TargetSource, { kind: 'git' }>;

/** How repositories are reached, and where they are while they are read. */
export interface RepositoryAccess extends RemoteOptions {
  /** Repositories are read in new folders in this one. */
  readonly workFolder: string;
  /** The bytes that git may receive from one repository. */
  readonly maxRepositoryBytes: number;
}

interface RepositoryOptions extends RepositoryAccess {
  readonly put: PutContent;
  readonly limits: ReadingLimits;
  readonly signal: AbortSignal;
}

const LOCAL_REF = 'refs/lockhound/source';
const MAX_BYTES = 1_048_576;

/**
 * Reads the lockfiles of one ref with their companions: its commit and trees without history, then only the contents that a
 * scan needs. Servers that cannot leave out contents send all of that commit. Resolves to `unchanged` when the ref still names
 * the `known` commit. Throws `SourceError`.
 */
export async function readRepository(
  source: GitSource,
  known: SourceRevision | undefined,
  options: RepositoryOptions,
): Promise<SourceReading | 'unchanged'> {
  const { repository, exclude, ref: name } = source;
  return await inRepository(source, options, async (git) => {
    const ref = await readRemoteRef(git, name);
    if (known?.commit === ref.commit) return 'unchanged';
    const revision = await fetchRef(git, ref, ['--depth=1', '--filter=blob:none']);
    const files = await readTreeLockfiles(git, revision.commit, { ...options, exclude });
    return requireFiles(`${repository} (${name})`, { revision, files });
  });
}

/**
 * Gets the whole history of one ref, without contents where the server can leave them out, and passes it to `use` with its last commit:
 * `requireBlobs` gets contents. It is removed afterwards. Throws `SourceError`.
 */
export async function withHistory<Result>(
  source: GitSource,
  options: RepositoryAccess & { readonly signal: AbortSignal },
  use: (git: Git, tip: string) => Promise<Result>,
): Promise<Result> {
  return await inRepository(source, options, async (git) => {
    const ref = await readRemoteRef(git, source.ref);
    const { commit } = await fetchRef(git, ref, ['--filter=blob:none']);
    return await use(git, commit);
  });
}

/** Runs `use` with an empty repository that has the source as its origin. */
async function inRepository<Result>(
  source: GitSource,
  options: RepositoryAccess & { readonly limits?: ReadingLimits; readonly signal: AbortSignal },
  use: (git: Git) => Promise<Result>,
): Promise<Result> {
  const { repository: what } = source;
  const environment = await gitEnvironment(source, options);
  const { workFolder: root, maxRepositoryBytes: maxBytes, signal } = options;
  return await inWorkFolder({ root, maxBytes, what, signal }, async (folder, limited) => {
    const { maxListBytes } = options.limits ?? {};
    const git: Git = { what, folder, environment, signal: limited, ...defined({ maxListBytes }) };
    await requireVersion(git);
    await quietly(git, ['init', '--quiet', '--bare', '--template=', '.']);
    return await use(git);
  });
}

/** A ref of a repository and the commit that it names. */
interface RemoteRef {
  /** Full name, such as `refs/heads/main`, or `HEAD`. */
  readonly name: string;
  readonly commit: string;
}

/** Asks the repository for the commit of a branch, a tag or a full name. Throws `SourceError` (`no-such-ref`). */
async function readRemoteRef(git: Git, ref: string): Promise<RemoteRef> {
  const names = ref === 'HEAD' || ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  // The `^{}` of a tag is the commit that it names.
  const wanted = names.flatMap((name) => [name, `${name}^{}`]);
  const output = await runGit(git, ['ls-remote', '--quiet', '--', 'origin', ...wanted], {
    read: textOf(git.what, MAX_BYTES),
  });
  const found = new Map<string, string>();
  for (const line of output.split('\n')) {
    const [, oid, name] = /^([0-9a-f]{40,64})\t(.+)$/.exec(line) ?? [];
    if (oid !== undefined && name !== undefined) found.set(name, oid);
  }
  for (const name of names) {
    const commit = found.get(`${name}^{}`) ?? found.get(name);
    if (commit !== undefined) return { name, commit };
  }
  const what = ref === 'HEAD' ? 'it has no default branch: it is empty' : `it has no branch or tag "${ref}"`;
  throw new SourceError('no-such-ref', `${git.what}: ${what}`);
}

/** Gets what the options of `git fetch` say; returns the commit, which may be newer than the one that was announced. */
async function fetchRef(git: Git, { name, commit }: RemoteRef, options: readonly string[]) {
  if (commit.length > 40)
    throw new SourceError('failed', `${git.what}: repositories with SHA-256 ids are not supported`);
  const file = join(git.folder, 'config');
  const config = await readFile(file);
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];
  await quietly(git, [...args, ...options, 'origin', `+${name}:${LOCAL_REF}`]);
  // The fetch has marked the repository as one whose missing objects are fetched when they are read, one by one.
  await writeFile(file, config);
  const read = textOf(git.what, MAX_BYTES);
  // `show` would compare all trees with nothing.
  const shown = ['log', '--max-count=1', '--format=%H %ct', '--end-of-options', `${LOCAL_REF}^{commit}`];
  const [received = '', seconds = ''] = (await runGit(git, shown, { read })).split(' ');
  return { commit: received, ...defined({ committedAt: timeOfCommit(seconds) }) };
}

/** The latest time of four digits for the year. */
const MAX_SECONDS = 253_402_300_799;

/** The time of a commit as git prints it: seconds since 1970. */
export function timeOfCommit(seconds: string): string | undefined {
  const time = Number(seconds.trim() || Number.NaN);
  return time >= 0 && time <= MAX_SECONDS ? new Date(time * 1_000).toISOString() : undefined;
}

/** The values of `PATH` with a git that has been found to be suitable. */
const suitable = new Set<string | undefined>();

/** Older ones ignore `http.curloptResolve`, and would resolve a name again after its addresses were checked. */
async function requireVersion(git: Git): Promise<void> {
  const { PATH } = git.environment;
  if (suitable.has(PATH)) return;
  const text = await runGit(git, ['version'], { read: textOf(git.what, MAX_BYTES) });
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(text) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 37)) {
    suitable.add(PATH);
    return;
  }
  throw new SourceError(
    'git-missing',
    `${git.what}: this worker has ${text.trim()}; 2.37 or later is needed`,
  );
}

async function quietly(git: Git, args: readonly string[]): Promise<void> {
  await runGit(git, args, { read: textOf(git.what, MAX_BYTES) });
}

const PREFIX = 'read-';
/** A folder of this age belongs to a worker that died. */
const ABANDONED_MS = 6 * 3_600_000;
const CHECK_MS = 500;

/**
 * Runs `work` in a new folder that is removed afterwards, and ends it when the folder exceeds a size. A reading leaves nothing
 * behind that a later one could find damaged or locked.
 */
async function inWorkFolder<Result>(
  {
    root,
    maxBytes,
    what,
    signal,
  }: {
    readonly root: string;
    readonly maxBytes: number;
    readonly what: string;
    readonly signal: AbortSignal;
  },
  work: (folder: string, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await removeAbandoned(root);
  const folder = await mkdtemp(join(root, PREFIX));
  const full = new AbortController();
  const timer = setInterval(async () => {
    const bytes = await bytesIn(join(folder, 'objects', 'pack'));
    if (bytes > maxBytes) {
      full.abort(
        new SourceError(
          'too-large',
          `${what}: git received more than ${maxBytes} bytes (watch.maxRepositoryBytes); it is not read`,
        ),
      );
    }
  }, CHECK_MS);
  try {
    return await work(folder, AbortSignal.any([signal, full.signal]));
  } finally {
    clearInterval(timer);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Packs that arrive are here, under temporary names. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  try {
    for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  } catch {
    // A file was renamed or the folder removed since it was listed; the next check sees it.
  }
  return bytes;
}

async function removeAbandoned(root: string): Promise<void> {
  const oldest = Date.now() - ABANDONED_MS;
  for (const name of await readdir(root)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(root, name);
    const times = await stat(folder).catch(() => undefined);
    if (times !== undefined && times.mtimeMs < oldest) await rm(folder, { recursive: true, force: true });
  }
}
