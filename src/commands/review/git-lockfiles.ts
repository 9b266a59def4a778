import { createHash } from 'node:crypto';
import type { ProducedContent, ProducedLockfile } from '../../scan/read.ts';
import type { Git } from '../../sources/git/git-process.ts';
import { readTreeLockfiles } from '../../sources/git/tree-lockfiles.ts';
import { putWithin } from '../../sources/stored-files.ts';

export interface GitLockfiles {
  /** Below the root of the repository; files or folders. Empty: the whole repository. */
  readonly paths: readonly string[];
  /** Format of the files that are named; detected when it is not set. */
  readonly format?: string | undefined;
  /** Size of one lockfile in bytes. */
  readonly maxBytes: number;
}

/** Size of all lockfiles of one commit with their companions. They are held in memory. */
const MAX_TOTAL_BYTES = 1_073_741_824;

/** The lockfiles of a commit with their companions, without a checkout. Paths are those of the repository. Throws `SourceError`. */
export async function readGitLockfiles(
  git: Git,
  commit: string,
  { paths, format, maxBytes }: GitLockfiles,
): Promise<readonly ProducedLockfile[]> {
  const contents = new Map<string, Buffer>();
  const limits = { maxLockfileBytes: maxBytes, maxTotalBytes: MAX_TOTAL_BYTES };
  const put = putWithin(
    async (content) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      contents.set(sha256, content);
      return { sha256, bytes: content.length };
    },
    git.what,
    limits,
  );
  const selected = paths.length === 0 ? {} : { paths };
  const files = await readTreeLockfiles(git, commit, { exclude: [], put, limits, format, ...selected });
  const contentOf = (stored: { readonly sha256: string } | Extract<ProducedContent, { unread: unknown }>) =>
    'unread' in stored
      ? { unread: stored.unread }
      : { content: contents.get(stored.sha256) ?? Buffer.alloc(0) };
  return files.map(
    (file): ProducedLockfile => ({
      path: file.path,
      format,
      ...contentOf(file),
      companions: (file.companions ?? []).map((one) => ({ name: one.name, ...contentOf(one) })),
    }),
  );
}
