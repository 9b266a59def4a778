import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ENV = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@a.example',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@a.example',
};

/** Runs git; returns its output. */
export function git(folder: string, ...args: readonly string[]): string {
  return run(folder, 'git', args);
}

function run(folder: string, program: string, args: readonly string[], input = ''): string {
  const options = { cwd: folder, env: ENV, maxBuffer: 1e9, input };
  const { status, stdout, stderr } = spawnSync(program, [...args], options);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.toString()}`);
  return stdout.toString().trim();
}

/** Commits all files of a repository; returns the commit. A large process starts one program in half the time of two. */
export function commitAll(folder: string): string {
  run(folder, 'sh', ['-c', 'git add --all && git commit --quiet --allow-empty --message change']);
  const head = readFileSync(join(folder, '.git/HEAD'), 'utf8').trim();
  return readFileSync(join(folder, '.git', head.replace('ref: ', '')), 'utf8').trim();
}

/** A commit of a branch, which adds or replaces files. */
interface NewCommit {
  readonly branch: string;
  /** Earlier commits, by their places. */
  readonly parents?: readonly number[];
  readonly files: Readonly<Record<string, string>>;
}

export interface TestRepository {
  readonly folder: string;
  /** Writes files, commits them and returns the commit. */
  commit(files: Readonly<Record<string, string | Buffer>>): string;
  /** Makes the commits of an empty repository, checks out `main`, and returns them. It starts one process. */
  build(commits: readonly NewCommit[]): readonly string[];
}

function buildCommits(folder: string, commits: readonly NewCommit[]): readonly string[] {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const stream = commits.map(({ branch, parents = [], files }, at) => {
    const lines = parents.map((parent, place) => `${place === 0 ? 'from' : 'merge'} :${parent + 1}\n`);
    const changed = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
    const head = `commit refs/heads/${branch}\nmark :${at + 1}\ncommitter A <a@a.example> ${1_700_000_000 + at} +0000\n`;
    return [head, data('change'), ...lines, ...changed].join('');
  });
  const script = 'git fast-import --quiet --export-marks=.git/marks && git reset --quiet --hard';
  run(folder, 'sh', ['-c', script], stream.join(''));
  const marks = readFileSync(join(folder, '.git/marks'), 'utf8');
  return commits.map((_, at) => new RegExp(`^:${at + 1} (.+)$`, 'm').exec(marks)?.[1] ?? '');
}

export interface Repositories {
  readonly root: string;
  create(name: string, files?: Readonly<Record<string, string | Buffer>>): TestRepository;
  close(): void;
}

/** A folder for repositories. */
export function openRepositories(): Repositories {
  const root = mkdtempSync(join(tmpdir(), 'repositories-'));
  const empty = join(root, '.empty');
  git(root, 'init', '--quiet', '--initial-branch=main', empty);
  git(empty, 'config', 'uploadpack.allowFilter', 'true');
  git(empty, 'config', 'http.receivepack', 'false');
  rmSync(join(empty, '.git/hooks'), { recursive: true, force: true });
  return {
    root,
    create(name, files = {}) {
      const folder = join(root, name);
      cpSync(empty, folder, { recursive: true });
      const commit = (changed: Readonly<Record<string, string | Buffer>>) => {
        for (const [path, content] of Object.entries(changed)) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), content);
        }
        return commitAll(folder);
      };
      if (Object.keys(files).length > 0) commit(files);
      return { folder, commit, build: (commits) => buildCommits(folder, commits) };
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

export interface GitServer {
  readonly url: string;
  /** Requests since the last call. */
  requests(): readonly { readonly url: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/** Serves the repositories below a folder by `git http-backend`. `token`: the password that it requires. */
export async function serveRepositories(
  root: string,
  {
    token,
    holdMs = 0,
    intercept,
  }: {
    readonly token?: string;
    /** Keeps the connection open for so long after each answer of git. */
    readonly holdMs?: number;
    /** Handles a request itself when it returns true. */
    readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  } = {},
): Promise<GitServer> {
  let seen: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    seen.push({ url: request.url ?? '', authorization });
    if (intercept?.(request, response) === true) return;
    const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    if (token !== undefined && authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    backend(root, request, response, holdMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests() {
      const all = seen;
      seen = [];
      return all;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** CGI: the answer begins with its headers. */
function backend(root: string, request: IncomingMessage, response: ServerResponse, holdMs: number): void {
  const url = new URL(request.url ?? '', 'http://git');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...ENV,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin).on('error', () => {});
  let head = Buffer.alloc(0);
  let started = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (started) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    started = true;
    const headers = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
    );
    response.write(head.subarray(end + 4));
  });
  child.on('close', () => setTimeout(() => response.end(), holdMs));
}
