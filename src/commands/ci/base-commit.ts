import type { GithubEnvironment } from '../../config/github-environment.ts';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import { undefinedFor } from '../../model/errors.ts';
import { SourceError } from '../../sources/errors.ts';
import { commitOf, openLocalRepository } from '../../sources/git/local-repository.ts';
import type { GithubEvent } from './github-event.ts';

/**
 * The commit that a job compares with; `undefined` when the clone has none. For a pull request it is the first parent of `sha`, the merge
 * that the host makes, where that is checked out: it needs a clone of depth 2. Throws `SourceError` when there is no repository or no git.
 */
export async function baseCommit(
  { pullRequest, bases }: GithubEvent,
  { sha, ref }: Pick<GithubEnvironment, 'sha' | 'ref'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const repository = await openLocalRepository('.', { inherited: inheritedEnvironment(), signal });
  const commit = async (expression: string): Promise<string | undefined> =>
    await commitOf(repository, expression).catch(undefinedFor(SourceError, 'no-such-ref'));
  const head = await commit('HEAD');
  // Any other merge, such as one of the base into the branch, has a part of the change in its first parent.
  const isMerge = pullRequest !== undefined && head === sha && /^refs\/pull\/\d+\/merge$/.test(ref);
  if (isMerge && (await commit('HEAD^2')) !== undefined) return await commit('HEAD^1');
  for (const base of bases) {
    const found = await commit(base);
    // A job of `pull_request_target` checks the base itself out.
    if (found !== undefined && found !== head) return found;
  }
  return undefined;
}
