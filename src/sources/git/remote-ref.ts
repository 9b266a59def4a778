import { SourceError } from '../errors.ts';
import { type Git, runGit, textOf } from './git-process.ts';

/** A ref of a repository and the commit that it names. */
export interface RemoteRef {
  /** Full name, such as `refs/heads/main`, or `HEAD`. */
  readonly name: string;
  readonly commit: string;
}

const MAX_BYTES = 1_048_576;

/** Asks the repository for the commit of a branch, a tag or a full name. Throws `SourceError` (`no-such-ref`). */
export async function readRemoteRef(git: Git, ref: string): Promise<RemoteRef> {
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
