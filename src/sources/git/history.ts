import type { Readable } from 'node:stream';
import { createYielder } from '../../model/yielding.ts';
import { SourceError } from '../errors.ts';
import { type Git, textOf as gitText, runGit } from './git-process.ts';

export interface CommitAtTime {
  readonly commit: string;
  /** The time that it states, as git prints it: seconds since 1970. */
  readonly time: string;
}

/** A commit, and the files that it changed against its first parent. */
export interface HistoryCommit extends CommitAtTime {
  /** Paths with their blobs; `undefined` for one that is no regular file any more. */
  readonly changes: ReadonlyMap<string, string | undefined>;
}

const REGULAR = new Set(['100644', '100755', '100664']);
/** Longer than any entry: modes, ids and a path. */
const MAX_ENTRY_BYTES = 65_536;
/** Text of all changes of a history. */
const MAX_BYTES = 4 * 1024 * 1024 * 1024;
/** Ids of two million commits. */
const MAX_LIST_BYTES = 134_217_728;
const COMMIT = /^\n?([0-9a-f]{40}|[0-9a-f]{64}) (-?\d+)$/;
const CHANGE = /^\n?:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/;

/**
 * Passes the commits after one, up to another, along first parents to `visit`, the oldest first; the next is read when it is done. Nothing is
 * checked out. Links and submodules count as no files. Throws `SourceError`.
 */
export async function readHistory(
  git: Git,
  base: string,
  tip: string,
  visit: (commit: HistoryCommit) => Promise<void>,
): Promise<void> {
  const args = ['log', '--first-parent', '-m', '--reverse', '--raw', '--no-abbrev', '--no-renames'];
  const plain = [
    '--no-color',
    '--no-show-signature',
    '--no-notes',
    '--no-mailmap',
    '--ignore-submodules=all',
  ];
  await runGit(git, [...args, ...plain, '-z', '--format=%H %ct', '--end-of-options', `${base}..${tip}`], {
    read: (output) => readCommits(git.what, output, visit),
  });
}

/** The commits of a history along first parents, the oldest first. Throws `SourceError`. */
export async function firstParents(git: Git, tip: string): Promise<readonly CommitAtTime[]> {
  const args = ['rev-list', '--first-parent', '--reverse', '--timestamp', '--end-of-options', tip];
  const text = await runGit(git, args, { read: gitText(git.what, MAX_LIST_BYTES) });
  return text.split('\n').flatMap((line) => {
    const [time = '', commit] = line.split(' ');
    return commit === undefined ? [] : { commit, time };
  });
}

async function readCommits(
  what: string,
  output: Readable,
  visit: (commit: HistoryCommit) => Promise<void>,
): Promise<void> {
  let open: (HistoryCommit & { readonly changes: Map<string, string | undefined> }) | undefined;
  let change: { readonly oid: string | undefined } | undefined;
  const yieldIfDue = createYielder();
  for await (const text of textsOf(what, output)) {
    await yieldIfDue();
    if (change !== undefined) {
      open?.changes.set(text, change.oid);
      change = undefined;
      continue;
    }
    const [, commit, time] = COMMIT.exec(text) ?? [];
    if (commit !== undefined && time !== undefined) {
      if (open !== undefined) await visit(open);
      open = { commit, time, changes: new Map() };
      continue;
    }
    const [, mode = '', oid] = CHANGE.exec(text) ?? [];
    if (oid !== undefined) change = { oid: REGULAR.has(mode) ? oid : undefined };
    else if (text.trim() !== '') throw new SourceError('failed', `${what}: git wrote what it never writes`);
  }
  if (open !== undefined) await visit(open);
}

/** The texts of an output that ends each with a zero byte. */
async function* textsOf(what: string, output: Readable): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = all.indexOf(0); end >= 0; end = all.indexOf(0, start)) {
      yield all.toString('utf8', start, end);
      start = end + 1;
    }
    rest = all.subarray(start);
    if (rest.length > MAX_ENTRY_BYTES || bytes > MAX_BYTES)
      throw new SourceError('too-large', `${what}: its history is too large to read`);
  }
  if (rest.length > 0) yield rest.toString('utf8');
}
