import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { git, openRepositories, serveRepositories } from '../sources/repositories.ts';

export type HostKind = 'github' | 'gitlab';

/** A pull request as the stand-in keeps it. */
export interface KeptPull {
  readonly number: number;
  readonly head: string;
  readonly base: string;
  /** Whether its branch is one of a fork. */
  readonly isForeign?: boolean;
  title: string;
  body: string;
  state: 'open' | 'closed' | 'merged';
}

interface State {
  pulls: KeptPull[];
  /** The next lists that lack what another job opens meanwhile. */
  hidden: number;
  /** The next requests that create one and fail. */
  failing: number;
  /** The answer of the git server to everything, with the text that it says. */
  refusesPush: boolean;
}

type Answer = readonly [status: number, body: unknown];

export const REPOSITORY = 'acme/shop';

/**
 * A code host on loopback: the part of its API that opens pull requests, with the answers that GitHub and GitLab document, and its
 * repository by git.
 */
export async function startHost(kind: HostKind, token: string) {
  const repositories = openRepositories();
  const bare = repositories.create(`${REPOSITORY}.git`).folder;
  git(bare, 'config', 'core.bare', 'true');
  git(bare, 'config', 'http.receivepack', 'true');
  const state: State = { pulls: [], hidden: 0, failing: 0, refusesPush: false };
  const written: string[] = [];
  const intercept = (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = new URL(request.url ?? '', 'http://host');
    if (!url.pathname.startsWith('/api/')) {
      if (!state.refusesPush) return false;
      response.writeHead(403).end(`no: ${request.headers.authorization} ${token}`);
      return true;
    }
    void bodyOf(request).then((body) => {
      const own = kind === 'github' ? request.headers.authorization : request.headers['private-token'];
      if (request.method !== 'GET') written.push(`${request.method} ${url.pathname}`);
      const [status, answer] =
        own === (kind === 'github' ? `Bearer ${token}` : token)
          ? ROUTES[kind]({ state, bare, method: request.method ?? '', url, body })
          : [401, { message: kind === 'github' ? 'Bad credentials' : '401 Unauthorized' }];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    return true;
  };
  const server = await serveRepositories(repositories.root, { token, intercept });
  return {
    url: server.url,
    state,
    bare,
    root: repositories.root,
    /** Requests that write, in the API. */
    written,
    requests: server.requests,
    /** Forgets pull requests and what was asked. */
    reset(): void {
      Object.assign(state, { pulls: [], hidden: 0, failing: 0, refusesPush: false });
      written.length = 0;
      server.requests();
    },
    /** A commit of somebody who clones the branch. */
    commitOn(branch: string): string {
      const folder = join(repositories.root, `other-${written.length}`);
      git(repositories.root, 'clone', '--quiet', '--branch', branch, bare, folder);
      git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'by hand');
      git(folder, 'push', '--quiet');
      return git(folder, 'rev-parse', 'HEAD');
    },
    async close() {
      await server.close();
      repositories.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : JSON.parse(text);
}

interface Asked {
  readonly state: State;
  readonly bare: string;
  readonly method: string;
  readonly url: URL;
  readonly body: Readonly<Record<string, string>>;
}

const ROUTES: Readonly<Record<HostKind, (asked: Asked) => Answer>> = {
  github({ state, bare, method, url: { pathname, searchParams }, body }) {
    const path = pathname.replace(`/api/repos/${REPOSITORY}/`, '');
    const shown = (one: KeptPull) => ({
      number: one.number,
      html_url: `https://github.example/${REPOSITORY}/pull/${one.number}`,
      state: one.state === 'open' ? 'open' : 'closed',
      merged_at: one.state === 'merged' ? '2026-05-01T00:00:00Z' : null,
      title: one.title,
      body: one.body,
      head: { ref: one.head, sha: tipOf(bare, one.head), repo: { id: one.isForeign === true ? 7 : 42 } },
      base: { ref: one.base, repo: { id: 42 } },
    });
    if (path.startsWith('branches/')) {
      const branch = decodeURIComponent(path.slice('branches/'.length));
      const sha = tipOf(bare, branch);
      if (sha === undefined) return [404, { message: 'Branch not found', status: '404' }];
      const author = { name: 'x', email: git(bare, 'show', '-s', '--format=%ae', sha) };
      return [200, { name: branch, commit: { sha, commit: { author } }, protected: false }];
    }
    if (path === 'pulls' && method === 'GET') {
      const [owner, head] = (searchParams.get('head') ?? '').split(':');
      if (owner !== 'acme' || searchParams.get('state') !== 'all') return [400, {}];
      return [200, listed(state, head, searchParams.get('base')).map(shown)];
    }
    if (path === 'pulls' && method === 'POST') {
      const made = create(state, {
        head: body['head'],
        base: body['base'],
        title: body['title'],
        body: body['body'],
      });
      const message = `A pull request already exists for acme:${body['head']}.`;
      const errors = [{ resource: 'PullRequest', code: 'custom', message }];
      return typeof made === 'number'
        ? [made, made === 422 ? { message: 'Validation Failed', errors } : { message: 'Server Error' }]
        : [201, shown(made)];
    }
    return changed(state, method === 'PATCH' ? /^pulls\/(\d+)$/.exec(path)?.[1] : undefined, {
      title: body['title'],
      body: body['body'],
      shown,
    });
  },
  gitlab({ state, bare, method, url: { pathname, searchParams }, body }) {
    const path = pathname.replace('/api/v4/projects/42/', '');
    const shown = (one: KeptPull) => ({
      id: 1_000 + one.number,
      iid: one.number,
      web_url: `https://gitlab.example/${REPOSITORY}/-/merge_requests/${one.number}`,
      state: one.state === 'open' ? 'opened' : one.state,
      title: one.title,
      description: one.body,
      source_project_id: one.isForeign === true ? 7 : 42,
      target_project_id: 42,
      sha: tipOf(bare, one.head),
    });
    if (path.startsWith('repository/branches/')) {
      const branch = decodeURIComponent(path.slice('repository/branches/'.length));
      const id = tipOf(bare, branch);
      if (id === undefined) return [404, { message: '404 Branch Not Found' }];
      const author_email = git(bare, 'show', '-s', '--format=%ae', id);
      return [200, { name: branch, commit: { id, short_id: id.slice(0, 8), author_email } }];
    }
    if (path === 'merge_requests' && method === 'GET') {
      return [
        200,
        listed(state, searchParams.get('source_branch'), searchParams.get('target_branch')).map(shown),
      ];
    }
    if (path === 'merge_requests' && method === 'POST') {
      const { source_branch: head, target_branch: base, title, description } = body;
      const made = create(state, { head, base, title, body: description });
      const message = ['Another open merge request already exists for this source branch: !1'];
      return typeof made === 'number'
        ? [made === 422 ? 409 : made, { message: made === 422 ? message : '500 Internal Server Error' }]
        : [201, shown(made)];
    }
    return changed(state, method === 'PUT' ? /^merge_requests\/(\d+)$/.exec(path)?.[1] : undefined, {
      title: body['title'],
      body: body['description'],
      shown,
    });
  },
};

function listed(state: State, head: string | null | undefined, base: string | null): readonly KeptPull[] {
  if (state.hidden > 0) {
    state.hidden -= 1;
    return [];
  }
  return state.pulls.filter((one) => one.head === head && one.base === base).toReversed();
}

/** The status of a refusal, or what was created. */
function create(
  state: State,
  {
    head = '',
    base = '',
    title = '',
    body = '',
  }: Readonly<Record<'head' | 'base' | 'title' | 'body', string | undefined>>,
): KeptPull | number {
  if (state.failing > 0) {
    state.failing -= 1;
    return 500;
  }
  const isKnown = (one: KeptPull): boolean =>
    one.head === head && one.base === base && one.isForeign !== true;
  if (state.pulls.some((one) => isKnown(one) && one.state === 'open')) return 422;
  const made: KeptPull = { number: state.pulls.length + 1, head, base, title, body, state: 'open' };
  state.pulls.push(made);
  return made;
}

function changed(
  state: State,
  number: string | undefined,
  {
    title = '',
    body = '',
    shown,
  }: { title?: string | undefined; body?: string | undefined; shown: (one: KeptPull) => object },
): Answer {
  const known = state.pulls.find((one) => String(one.number) === number);
  if (known === undefined) return [404, { message: 'Not Found' }];
  Object.assign(known, { title, body });
  return [200, shown(known)];
}

/** A branch is a file: nothing packs the refs of this repository. */
function tipOf(bare: string, branch: string): string | undefined {
  const file = join(bare, '.git/refs/heads', branch);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
