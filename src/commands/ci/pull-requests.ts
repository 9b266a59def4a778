import { z } from 'zod';
import type { ProposalEnvironment } from '../../config/github-environment.ts';
import { undefinedFor } from '../../model/errors.ts';
import type { Secret } from '../../model/secret.ts';
import { CiError } from './errors.ts';
import { githubHeaders, openHostApi } from './host-api.ts';

/** A pull request at GitHub, or a merge request at GitLab. */
export interface PullRequest {
  /** The number in its project. */
  readonly number: number;
  readonly url: string;
  readonly isOpen: boolean;
  readonly isMerged: boolean;
  readonly body: string;
  /** Whether its branch is one of the project itself. Anybody can open one from a fork, with any name of a branch. */
  readonly isOwn: boolean;
}

export interface PullRequestText {
  readonly title: string;
  readonly body: string;
}

/** The branches of a pull request. */
export interface Branches {
  readonly branch: string;
  readonly base: string;
}

export type PullRequests = ReturnType<typeof openPullRequests>;

/** The differences between code hosts: paths below the project, and the forms of requests and answers. */
interface Dialect {
  readonly headers: (token: Secret) => Readonly<Record<string, string>>;
  readonly branches: string;
  readonly pulls: string;
  readonly branch: z.ZodType<{ readonly commit: string; readonly author: string }>;
  readonly pull: z.ZodType<PullRequest>;
  /** Selects the pull requests between two branches, the newest first. */
  readonly query: (branches: Branches, owner: string) => Readonly<Record<string, string>>;
  readonly created: (branches: Branches) => object;
  readonly text: (text: PullRequestText) => object;
  readonly updates: 'PATCH' | 'PUT';
}

const text = z.string().nullish();

/** https://docs.github.com/en/rest/pulls/pulls */
const GITHUB: Dialect = {
  headers: githubHeaders,
  branches: 'branches',
  pulls: 'pulls',
  branch: z
    .object({
      commit: z.object({ sha: z.string(), commit: z.object({ author: z.object({ email: z.string() }) }) }),
    })
    .transform(({ commit }) => ({ commit: commit.sha, author: commit.commit.author.email })),
  pull: z
    .object({
      ...{ number: z.int(), html_url: z.string(), state: z.string(), merged_at: text, body: text },
      head: z.object({ repo: z.object({ id: z.int() }).nullish() }),
      base: z.object({ repo: z.object({ id: z.int() }) }),
    })
    .transform(({ number, html_url, state, merged_at, body, head, base }) => ({
      ...{ number, url: html_url, body: body ?? '', isOpen: state === 'open' },
      isMerged: typeof merged_at === 'string',
      isOwn: head.repo?.id === base.repo.id,
    })),
  query: ({ branch, base }, owner) => ({
    ...{ head: `${owner}:${branch}`, base, state: 'all', sort: 'created', direction: 'desc' },
  }),
  created: ({ branch, base }) => ({ head: branch, base }),
  text: (given) => given,
  updates: 'PATCH',
};

/** https://docs.gitlab.com/api/merge_requests/ */
const GITLAB: Dialect = {
  headers: (token) => ({ 'private-token': token.reveal() }),
  branches: 'repository/branches',
  pulls: 'merge_requests',
  branch: z
    .object({ commit: z.object({ id: z.string(), author_email: z.string() }) })
    .transform(({ commit }) => ({ commit: commit.id, author: commit.author_email })),
  pull: z
    .object({
      ...{ iid: z.int(), web_url: z.string(), state: z.string(), description: text },
      ...{ source_project_id: z.int().nullish(), target_project_id: z.int() },
    })
    .transform(({ iid, web_url, state, description, source_project_id, target_project_id }) => ({
      ...{ number: iid, url: web_url, body: description ?? '' },
      ...{ isOpen: state === 'opened', isMerged: state === 'merged' },
      isOwn: source_project_id === target_project_id,
    })),
  query: ({ branch, base }) => ({
    ...{ source_branch: branch, target_branch: base, state: 'all', order_by: 'created_at', sort: 'desc' },
  }),
  created: ({ branch, base }) => ({
    ...{ source_branch: branch, target_branch: base, remove_source_branch: true },
  }),
  text: ({ title, body }) => ({ title, description: body }),
  updates: 'PUT',
};

/** The requests to a code host. Each function throws `CiError`, `HttpError`. */
export function openPullRequests(
  { host, apiUrl: url, owner }: ProposalEnvironment,
  token: Secret,
  signal: AbortSignal,
) {
  const of = host === 'github' ? GITHUB : GITLAB;
  const api = openHostApi({ url, headers: () => of.headers(token), signal });
  return {
    /** The last commit of a branch with the e-mail address of its author; `undefined` where there is no such branch. */
    async tip(branch: string) {
      const reading = api.read(`${of.branches}/${encodeURIComponent(branch)}`, of.branch);
      return await reading.catch(undefinedFor(CiError, 'host-missing'));
    },
    /** The pull requests between two branches of the project, of the newest 100 that the host lists: others may be those of forks. */
    async list(branches: Branches): Promise<readonly PullRequest[]> {
      const query = new URLSearchParams({ ...of.query(branches, owner), per_page: '100' });
      return (await api.read(`${of.pulls}?${query}`, z.array(of.pull))).filter(({ isOwn }) => isOwn);
    },
    create: async (branches: Branches, given: PullRequestText): Promise<PullRequest> =>
      of.pull.parse(await api.send('POST', of.pulls, { ...of.created(branches), ...of.text(given) })),
    async update(number: number, given: PullRequestText): Promise<void> {
      await api.send(of.updates, `${of.pulls}/${number}`, of.text(given));
    },
    close: api.close,
  };
}
