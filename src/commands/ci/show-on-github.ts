import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { GithubEnvironment } from '../../config/github-environment.ts';
import { closing } from '../../model/closing.ts';
import { messageOf } from '../../model/errors.ts';
import type { GithubEvent } from './github-event.ts';
import { githubHeaders, type HostApi, openHostApi } from './host-api.ts';

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
  const { apiUrl, repository, token, sha, ref } = environment;
  if (token === undefined) return ['GITHUB_TOKEN is not set: nothing is uploaded, and there is no comment'];
  const url = `${apiUrl}/repos/${repository}`;
  const warnings: string[] = [];
  const attempt = async (what: string, step: () => Promise<unknown>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      signal.throwIfAborted();
      warnings.push(`${what}: ${messageOf(error)}`);
    }
  };
  const opened = openHostApi({ url, headers: () => githubHeaders(token), signal });
  return await closing(opened, async (api) => {
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
    return warnings;
  });
}

interface CommentOptions {
  readonly pullRequest: number;
  /** Comments of several targets in one pull request stay apart. */
  readonly target: string;
  readonly markdown: string;
  /** False: a comment that exists is updated, and none is made. */
  readonly isNeeded: boolean;
}

const commentsSchema = z.array(
  z.object({
    id: z.number(),
    body: z.string().nullish(),
    user: z.object({ type: z.string() }).nullish(),
  }),
);

const PAGE = 100;
/** Comments of the longest discussions. */
const MAX_PAGES = 30;

/** Makes the one comment of a target in a pull request, or updates it. Throws `CiError`, `HttpError`. */
async function writeComment(
  api: HostApi,
  { pullRequest, target, markdown, isNeeded }: CommentOptions,
): Promise<'created' | 'updated' | 'not-needed'> {
  const marker = `<!-- lockhound ${createHash('sha256').update(target).digest('hex').slice(0, 16)} -->`;
  const body = `${marker}\n${markdown}`;
  const id = await findComment(api, pullRequest, marker);
  if (id !== undefined) {
    await api.send('PATCH', `issues/comments/${id}`, { body });
    return 'updated';
  }
  if (!isNeeded) return 'not-needed';
  await api.send('POST', `issues/${pullRequest}/comments`, { body });
  return 'created';
}

/** Finds our comment. Only comments of bots count: anyone could write the marker into a comment of theirs. */
async function findComment(api: HostApi, pullRequest: number, marker: string): Promise<number | undefined> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const path = `issues/${pullRequest}/comments?per_page=${PAGE}&page=${page}`;
    const comments = commentsSchema.parse(await api.send('GET', path));
    const own = comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(marker) === true);
    if (own !== undefined) return own.id;
    if (comments.length < PAGE) return undefined;
  }
  return undefined;
}
