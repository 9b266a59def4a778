import { gzipSync } from 'node:zlib';
import type { GithubEnvironment } from '../../config/github-environment.ts';
import { messageOf } from '../../model/errors.ts';
import { openGithubApi } from './github-api.ts';
import type { GithubEvent } from './github-event.ts';
import { writeComment } from './pull-request-comment.ts';

export interface ShownResult {
  readonly target: string;
  readonly sarif: string;
  readonly markdown: string;
  /** Whether a new comment is made: there is something to say. */
  readonly isNotable: boolean;
  readonly uploads: boolean;
  readonly comments: boolean;
}

/**
 * Uploads the SARIF file to code scanning and writes the comment. Each may be refused, as for pull requests from forks, whose token may
 * only read: that is a warning, and the verdict of the scan stays. Returns the warnings.
 */
export async function showOnGithub(
  environment: GithubEnvironment,
  { pullRequest }: GithubEvent,
  { target, sarif, markdown, isNotable, uploads, comments }: ShownResult,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { token, sha, ref } = environment;
  if (token === undefined) return ['GITHUB_TOKEN is not set: nothing is uploaded, and there is no comment'];
  const api = openGithubApi(environment, token, signal);
  const warnings: string[] = [];
  const attempt = async (what: string, step: () => Promise<unknown>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      signal.throwIfAborted();
      warnings.push(`${what}: ${messageOf(error)}`);
    }
  };
  try {
    if (uploads) {
      await attempt('the SARIF file was not uploaded (permission security-events: write)', () =>
        api.send('POST', 'code-scanning/sarifs', {
          commit_sha: sha,
          ref,
          sarif: gzipSync(sarif).toString('base64'),
          tool_name: 'Lockhound',
        }),
      );
    }
    if (comments && pullRequest !== undefined) {
      await attempt('the comment was not written (permission pull-requests: write)', () =>
        writeComment(api, { pullRequest, target, markdown, isNeeded: isNotable }),
      );
    }
  } finally {
    await api.close();
  }
  return warnings;
}
