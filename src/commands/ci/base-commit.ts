import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import { undefinedFor } from '../../model/errors.ts';
import { SourceError } from '../../sources/errors.ts';
import { commitOf, openLocalRepository } from '../../sources/git/local-repository.ts';
import type { GithubEvent } from './github-event.ts';

/**
 * The commit that a job compares with; `undefined` when the clone has none. For a pull request it is the first parent of the merge
 * that is checked out, which needs a clone of depth 2. Throws `SourceError` when there is no repository or no git.
 */
export async function baseCommit(
  { pullRequest, bases }: GithubEvent,
  signal: AbortSignal,
): Promise<string | undefined> {
  const repository = await openLocalRepository('.', { inherited: inheritedEnvironment(), signal });
  const commit = async (expression: string): Promise<string | undefined> =>
    await commitOf(repository, expression).catch(undefinedFor(SourceError, 'no-such-ref'));
  if (pullRequest !== undefined && (await commit('HEAD^2')) !== undefined) return await commit('HEAD^1');
  for (const base of bases) {
    const found = await commit(base);
    if (found !== undefined) return found;
  }
  return undefined;
}
