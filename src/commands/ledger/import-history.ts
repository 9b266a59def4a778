import ignore from 'ignore';
import type { Store } from '../../compose/store.ts';
import { applyDelta, compareHeld, type Held } from '../../fleet/ledger/lockfile-deltas.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import type { Git } from '../../sources/git/git-process.ts';
import { type CommitAtTime, firstParents } from '../../sources/git/history.ts';
import { isShallow } from '../../sources/git/local-repository.ts';
import { timeOfCommit } from '../../sources/git/read-repository.ts';
import { LedgerError } from '../errors.ts';
import { readSegment, type Segment, secondsOf } from './history-segment.ts';
import { readSegments } from './history-segments.ts';
import { joinSegment } from './join-segment.ts';

/** Commits between two reports of progress. */
const PROGRESS = 100;
/** The import stores what it has read at this interval, and less often where storing takes longer than `SLOW_SAVE_MS`. */
const SAVE_MS = 5_000;
const SLOW_SAVE_MS = 250;

export interface ImportOptions {
  readonly target: string;
  /** The last commit. */
  readonly tip: string;
  /** ms since 1970: the history begins with the first commit of this time or later. */
  readonly since?: number | undefined;
  /** Lockfiles that are left out, in the notation of `.gitignore`. */
  readonly exclude?: readonly string[];
  /** Whether commits that are imported already are read again. */
  readonly anew?: boolean | undefined;
  readonly onProgress?: (commits: number) => void;
  /** Time in ms after which what was read is stored. */
  readonly saveMs?: number;
  readonly threads?: number;
}

export interface ImportedHistory {
  readonly target: string;
  /** Commits of the history, and those among them whose changes are imported. */
  readonly commits: number;
  readonly entries: number;
  /** Commits that were read now. */
  readonly read: number;
  /** RFC 3339: the time of the first commit of the history; absent where all are older than the ledger is kept. */
  readonly from?: string;
  /** The history begins with the oldest commit of a shallow clone, so that earlier ones are not known. */
  readonly shallow?: true;
}

type Stores = Pick<Store, 'importedLedger' | 'packageIds'>;

/**
 * Puts the history of the lockfiles of a repository before the first scan in the ledger of a target. A commit names all that came before it, so
 * entries that the ledger has of commits of this history are kept, and only the commits before and after them are read. What was read is stored
 * from time to time: an import that ended early goes on there. Commits that are older than the ledger is kept are not read. Throws `SourceError`,
 * `LedgerError`, `StoreError`.
 */
export async function importHistory(
  stores: Stores,
  git: Git,
  options: ImportOptions,
): Promise<ImportedHistory> {
  const { target, tip, since = Number.NEGATIVE_INFINITY, exclude = [], anew } = options;
  const { saveMs = SAVE_MS, threads } = options;
  const known = await stores.importedLedger(target);
  if (known === undefined) throw unknownTarget(target);
  const parents = await firstParents(git, tip);
  const begin = Math.max(since, known.oldest);
  const found = parents.findIndex(({ time }) => Number(time) * 1_000 >= begin);
  if (found < 0 && begin === since)
    throw new LedgerError('history-empty', `${git.what}: no commit is so recent`);
  const first = found < 0 ? parents.length : found;
  const isShort = await isShallow(git);
  // The scans know what followed the first of them.
  const scanned = parents.findIndex(({ commit }) => commit === known.scanned);
  const last = scanned < 0 ? parents.findLastIndex(({ time }) => secondsOf(time) < known.before) : scanned;
  const history = parents.slice(first, last + 1);
  const places = new Map(history.map(({ commit }, place) => [commit, place]));
  const placeOf = ({ commit = '' }: LedgerEntry): number => places.get(commit) ?? -1;
  const end = anew === true ? -1 : known.entries.findLastIndex((entry) => placeOf(entry) >= 0);
  const kept = known.entries.slice(0, end + 1);
  /** The first commit whose entry is kept is read again: what came with it depends on the commits before. */
  const joint = kept[0] === undefined ? history.length - 1 : Math.max(0, placeOf(kept[0]));
  const later = kept.filter((entry) => placeOf(entry) > joint);

  const entries: LedgerEntry[] = [];
  let held: Held = new Map();
  let nextSave = performance.now() + saveMs;
  const save = async (whole?: Held): Promise<void> => {
    const began = performance.now();
    const [start, ...rest] = entries;
    const isHeld = (first > 0 || isShort) && start?.commit === history[0]?.commit;
    const mark = isHeld ? ({ start: true, held: true } as const) : ({ start: true } as const);
    const all = start === undefined ? [] : [{ ...start, ...mark }, ...rest];
    if (!(await known.write(all, whole))) throw unknownTarget(target);
    const now = performance.now();
    nextSave = now + saveMs * Math.max(1, (now - began) / SLOW_SAVE_MS);
  };
  let commits = 0;
  const onCommit = (): void => {
    commits += 1;
    if (commits % PROGRESS === 0) options.onProgress?.(commits);
  };
  const { intern } = stores.packageIds;
  const reading = { exclude, onCommit, ...defined({ threads }) };
  const readOn = async (part: readonly CommitAtTime[], isStart: boolean): Promise<void> => {
    for await (const segment of readSegments(git, part, { ...reading, isStart })) {
      for (const one of await joinSegment(segment, held, intern)) entries.push(one);
      if (performance.now() >= nextSave) await save();
    }
  };
  await readOn(history.slice(0, joint + 1), true);
  const place = Math.max(joint, ...later.slice(-1).map(placeOf));
  const at = history[place];
  const after =
    later.length === 0 || at === undefined
      ? undefined
      : await heldAfter(git, later, { held, at, exclude, intern });
  if (after !== undefined) {
    held = after;
    for (const one of later) entries.push(one);
  }
  await readOn(history.slice(after === undefined ? joint : place), false);
  await save(held);
  return {
    ...{ target, commits: parents.length - first, entries: entries.length, read: commits },
    ...defined({ from: timeOfCommit(parents[first]?.time ?? '') }),
    ...(first === 0 && isShort ? { shallow: true } : {}),
  };
}

/**
 * The packages that the lockfiles hold after kept entries. `undefined` where these do not lead to what their last commit holds: the import before
 * read other files, or the oldest entries were dropped. `held`: the packages before them. `at`: their last commit.
 */
async function heldAfter(
  git: Git,
  kept: readonly LedgerEntry[],
  {
    held,
    at,
    exclude,
    intern,
  }: Pick<Stores['packageIds'], 'intern'> &
    Pick<Segment, 'exclude'> & { readonly held: Held; readonly at: CommitAtTime },
): Promise<Held | undefined> {
  const after: Held = new Map([...held].map(([path, ids]) => [path, new Set(ids)]));
  const excluded = ignore().add([...exclude]);
  const files = kept.flatMap((entry) => entry.files ?? []);
  if (!files.every((file) => !excluded.ignores(file.path) && applyDelta(file, after))) return undefined;
  const whole = await readSegment(git, { base: at, isStart: true, tip: at.commit, exclude }, () => {});
  const read: Held = new Map();
  await joinSegment(whole, read, intern);
  const { differing } = compareHeld(after, read);
  return differing.every((path) => whole.unread.includes(path)) ? after : undefined;
}

function unknownTarget(target: string): LedgerError {
  return new LedgerError('target-unknown', `target ${target} has no ledger: scan it first`);
}
