import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { GithubApi } from './github-api.ts';

export interface CommentOptions {
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
export async function writeComment(
  api: GithubApi,
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

/** Only comments of bots count: anyone could write the marker into a comment of theirs. */
async function findComment(api: GithubApi, pullRequest: number, marker: string): Promise<number | undefined> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const path = `issues/${pullRequest}/comments?per_page=${PAGE}&page=${page}`;
    const comments = commentsSchema.parse(await api.send('GET', path));
    const own = comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(marker) === true);
    if (own !== undefined) return own.id;
    if (comments.length < PAGE) return undefined;
  }
  return undefined;
}
