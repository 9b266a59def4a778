import { z } from 'zod';
import type { ProposalEnvironment } from '../../config/github-environment.ts';
import type { Secret } from '../../model/secret.ts';
import { CiError } from './errors.ts';
import { githubHeaders, openHostApi } from './host-api.ts';

/** A pull request at GitHub, or a merge request at GitLab. */
export interface PullRequest {
  /** In its project. */
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

/** What is asked of a code host. Each function throws `CiError`, `HttpError`. */
export interface PullRequests {
  /** The last commit of a branch with the e-mail address of its author; `undefined` where there is no such branch. */
  tip(branch: string): Promise<{ readonly commit: string; readonly author: string } | undefined>;
  /** The pull requests between two branches of the project, of the newest 100 that the host lists: others may be those of forks. */
  list(branches: Branches): Promise<readonly PullRequest[]>;
  create(branches: Branches, text: PullRequestText): Promise<PullRequest>;
  update(number: number, text: PullRequestText): Promise<void>;
  close(): Promise<void>;
}

export function openPullRequests(
  environment: ProposalEnvironment,
  token: Secret,
  signal: AbortSignal,
): PullRequests {
  return environment.host === 'github'
    ? atGithub(environment, token, signal)
    : atGitlab(environment, token, signal);
}

const githubSchema = z
  .object({
    number: z.int(),
    html_url: z.string(),
    state: z.string(),
    merged_at: z.string().nullish(),
    body: z.string().nullish(),
    head: z.object({ repo: z.object({ id: z.int() }).nullish() }),
    base: z.object({ repo: z.object({ id: z.int() }) }),
  })
  .transform(
    ({ number, html_url, state, merged_at, body, head, base }): PullRequest => ({
      number,
      url: html_url,
      isOpen: state === 'open',
      isMerged: typeof merged_at === 'string',
      body: body ?? '',
      isOwn: head.repo?.id === base.repo.id,
    }),
  );

const githubBranchSchema = z
  .object({
    commit: z.object({ sha: z.string(), commit: z.object({ author: z.object({ email: z.string() }) }) }),
  })
  .transform(({ commit }) => ({ commit: commit.sha, author: commit.commit.author.email }));

/** https://docs.github.com/en/rest/pulls/pulls */
function atGithub({ apiUrl, owner }: ProposalEnvironment, token: Secret, signal: AbortSignal): PullRequests {
  const api = openHostApi({ url: apiUrl, headers: () => githubHeaders(token), signal });
  return {
    tip: (branch) => orMissing(api.read(`branches/${encodeURIComponent(branch)}`, githubBranchSchema)),
    async list({ branch, base }) {
      const query = new URLSearchParams({
        ...{ head: `${owner}:${branch}`, base, state: 'all' },
        ...{ sort: 'created', direction: 'desc', per_page: '100' },
      });
      return (await api.read(`pulls?${query}`, z.array(githubSchema))).filter(({ isOwn }) => isOwn);
    },
    async create({ branch, base }, { title, body }) {
      return githubSchema.parse(await api.send('POST', 'pulls', { title, body, head: branch, base }));
    },
    async update(number, text) {
      await api.send('PATCH', `pulls/${number}`, text);
    },
    close: api.close,
  };
}

const gitlabSchema = z
  .object({
    iid: z.int(),
    web_url: z.string(),
    state: z.string(),
    description: z.string().nullish(),
    source_project_id: z.int().nullish(),
    target_project_id: z.int(),
  })
  .transform(
    ({ iid, web_url, state, description, source_project_id, target_project_id }): PullRequest => ({
      number: iid,
      url: web_url,
      isOpen: state === 'opened',
      isMerged: state === 'merged',
      body: description ?? '',
      isOwn: source_project_id === target_project_id,
    }),
  );

const gitlabBranchSchema = z
  .object({ commit: z.object({ id: z.string(), author_email: z.string() }) })
  .transform(({ commit }) => ({ commit: commit.id, author: commit.author_email }));

/** https://docs.gitlab.com/api/merge_requests/ */
function atGitlab({ apiUrl }: ProposalEnvironment, token: Secret, signal: AbortSignal): PullRequests {
  const headers = () => ({ 'private-token': token.reveal() });
  const api = openHostApi({ url: apiUrl, headers, signal });
  return {
    tip: (branch) =>
      orMissing(api.read(`repository/branches/${encodeURIComponent(branch)}`, gitlabBranchSchema)),
    async list({ branch, base }) {
      const query = new URLSearchParams({
        ...{ source_branch: branch, target_branch: base, state: 'all' },
        ...{ order_by: 'created_at', sort: 'desc', per_page: '100' },
      });
      return (await api.read(`merge_requests?${query}`, z.array(gitlabSchema))).filter(({ isOwn }) => isOwn);
    },
    async create({ branch, base }, { title, body }) {
      const request = { source_branch: branch, target_branch: base, title, description: body };
      return gitlabSchema.parse(
        await api.send('POST', 'merge_requests', { ...request, remove_source_branch: true }),
      );
    },
    async update(number, { title, body }) {
      await api.send('PUT', `merge_requests/${number}`, { title, description: body });
    },
    close: api.close,
  };
}

async function orMissing<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CiError && error.code === 'host-missing') return undefined;
    throw error;
  }
}
