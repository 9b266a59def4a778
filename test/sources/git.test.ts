import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publicAddressesOnly } from '../../src/http/address-guard.ts';
import { Secret } from '../../src/model/secret.ts';
import { targetSourceSchema } from '../../src/model/watch/source.ts';
import { sourceRoom, WORK_FOLDER } from './reading.ts';
import {
  type GitServer,
  git,
  openRepositories,
  type Repositories,
  serveRepositories,
} from './repositories.ts';

let repositories: Repositories;
let server: GitServer;
let room: ReturnType<typeof sourceRoom>;

beforeAll(async () => {
  repositories = openRepositories();
  server = await serveRepositories(repositories.root);
  room = sourceRoom();
});
afterEach(() => {
  // Nothing is left behind, whatever happened.
  expect(readdirSync(WORK_FOLDER)).toEqual([]);
});
afterAll(async () => {
  await room.close();
  await server.close();
  repositories.close();
});

const source = (repository: string, more: object = {}) => ({ kind: 'git', repository, ref: 'HEAD', ...more });

describe('a git repository', () => {
  it('is read from a server that leaves out contents: lockfiles with their companions, and nothing else', async () => {
    const shop = repositories.create('shop', {
      'package-lock.json': '{"a": 1}',
      'api/requirements.txt': '-r base.txt\nx==1',
      'api/base.txt': '-r ../more.txt',
      'more.txt': 'y==2',
      'node_modules/a/package-lock.json': 'no',
      'vendor/requirements.txt': 'z==3',
      'vendor/a/requirements.txt': 'no',
      'target/vendor/requirements.txt': 'no',
      'web/package-lock.json': 'ignored for the shrinkwrap',
      'web/npm-shrinkwrap.json': '{"b": 1}',
      'README.md': 'x'.repeat(100_000),
    });
    const reading = await room.read(source(`${server.url}/shop`));
    expect(room.listed(reading)).toEqual([
      'api/requirements.txt: -r base.txt\nx==1',
      '  base.txt: -r ../more.txt',
      '  ../more.txt: y==2',
      'package-lock.json: {"a": 1}',
      'vendor/requirements.txt: z==3',
      'web/npm-shrinkwrap.json: {"b": 1}',
    ]);
    const [head = '', seconds] = git(shop.folder, 'show', '--no-patch', '--format=%H %ct').split(' ');
    const committedAt = new Date(Number(seconds) * 1_000).toISOString();
    expect(reading).toMatchObject({ revision: { commit: head, committedAt } });
    server.requests();
    expect(await room.read(source(`${server.url}/shop`), { commit: head })).toBe('unchanged');
    // Only the refs were asked for.
    expect(server.requests().map(({ url }) => url)).toEqual([
      '/shop/info/refs?service=git-upload-pack',
      '/shop/git-upload-pack',
    ]);
    const second = shop.commit({ 'package-lock.json': '{"a": 2}' });
    const again = await room.read(source(`${server.url}/shop`), { commit: head });
    expect(again).toMatchObject({ revision: { commit: second } });
    expect(room.listed(again)).toContain('package-lock.json: {"a": 2}');
  });

  it('is read from a server that cannot leave out contents, and from a local path', async () => {
    const plain = repositories.create('plain', { 'yarn.lock': '# yarn', 'package.json': '{}' });
    git(plain.folder, 'config', 'uploadpack.allowFilter', 'false');
    for (const repository of [`${server.url}/plain`, plain.folder]) {
      expect(room.listed(await room.read(source(repository)))).toEqual([
        'yarn.lock: # yarn',
        '  package.json: {}',
      ]);
    }
  });

  it('is read at a branch, a tag or a full name, and each has its own commit', async () => {
    const refs = repositories.create('refs', { 'go.sum': 'main' });
    git(refs.folder, 'tag', '--annotate', 'v1', '--message', 'v1');
    git(refs.folder, 'checkout', '--quiet', '-b', 'next/feature');
    const next = refs.commit({ 'go.sum': 'next' });
    git(refs.folder, 'checkout', '--quiet', 'main');
    const known = git(refs.folder, 'rev-parse', 'v1^{commit}');
    expect(await room.read(source(refs.folder, { ref: 'v1' }), { commit: known })).toBe('unchanged');
    for (const [ref, content] of [
      ['main', 'main'],
      ['v1', 'main'],
      ['refs/tags/v1', 'main'],
      ['next/feature', 'next'],
      ['refs/heads/next/feature', 'next'],
    ] as const) {
      const reading = await room.read(source(refs.folder, { ref }));
      expect(room.listed(reading), ref).toEqual([`go.sum: ${content}`]);
      expect(reading).toMatchObject({ revision: { commit: content === 'main' ? known : next } });
    }
    await expect(room.read(source(refs.folder, { ref: 'feature' }))).rejects.toMatchObject({
      code: 'no-such-ref',
      retryable: false,
      message: `${refs.folder}: it has no branch or tag "feature"`,
    });
  });

  it('leaves out what is excluded, and follows links inside the repository only', async () => {
    const links = repositories.create('links', {
      'locks/prod.json': '{"p": 1}',
      'a/go.sum': 'a',
      'old/go.sum': 'o',
    });
    const link = (target: string, name: string) => symlinkSync(target, join(links.folder, name));
    link('locks/prod.json', 'package-lock.json');
    link('a/go.sum', 'go.sum');
    link('/dev/zero', 'yarn.lock');
    link('../../../../../../etc/passwd', 'Cargo.lock');
    link('poetry.lock', 'poetry.lock');
    link('locks', 'pdm.lock');
    links.commit({});
    const reading = await room.read(source(links.folder, { exclude: ['/old/'] }));
    expect([...room.listed(reading)].sort()).toEqual([
      'Cargo.lock: [outside]',
      'a/go.sum: a',
      'package-lock.json: {"p": 1}',
      'pdm.lock: [not-a-file]',
      'poetry.lock: [outside]',
      'yarn.lock: [outside]',
    ]);
  });

  it('with a lockfile of 60 MB has that one unread', async () => {
    const large = repositories.create('large', { 'go.sum': 'small' });
    writeFileSync(join(large.folder, 'package-lock.json'), '');
    truncateSync(join(large.folder, 'package-lock.json'), 60_000_000);
    large.commit({});
    const before = process.memoryUsage().rss;
    expect(room.listed(await room.read(source(`${server.url}/large`)))).toEqual([
      'go.sum: small',
      'package-lock.json: [too-large]',
    ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });

  it('that sends more than the limit is not read, and its process ends', async () => {
    const random = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 2_654_435_761) >>> 13));
    const full = repositories.create('full', { 'go.sum': 'small', 'yarn.lock': random });
    git(full.folder, 'config', 'uploadpack.allowFilter', 'false');
    const limited = sourceRoom({ maxRepositoryBytes: 1_000, timeoutMs: 240_000 });
    // The connection stays open after the answer, so that git is still running when the size is checked.
    const slow = await serveRepositories(repositories.root, { holdMs: 1_500 });
    await expect(limited.read(source(`${slow.url}/full`))).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('watch.maxRepositoryBytes'),
    });
    await slow.close();
    await limited.close();
  });

  it('with 60,000 files is listed without reading them, also where its last files name each other', async () => {
    const many = repositories.create('many');
    const files = Array.from({ length: 60_000 }, (_, index) => [`d${index % 317}/f${index}.txt`, 'x']);
    const named = [
      ['deep/go.sum', 'hi'],
      ['e/base.txt', 'y==2'],
      ['e/requirements.txt', '-r base.txt'],
    ];
    const lines = [...files, ...named].map(
      ([path, text = '']) => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`,
    );
    const head = 'commit refs/heads/main\ncommitter A <a@a.example> 1700000000 +0000\ndata 1\nm\n';
    spawnSync('git', ['fast-import', '--quiet'], { cwd: many.folder, input: head + lines.join('') });
    expect(room.listed(await room.read(source(many.folder)))).toEqual([
      'deep/go.sum: hi',
      'e/requirements.txt: -r base.txt',
      '  base.txt: y==2',
    ]);
  });

  it('with more lockfiles than a scan may have is refused, with the remedy', async () => {
    const crowd = repositories.create('crowd');
    const lines = Array.from(
      { length: 10_001 },
      (_, index) => `M 100644 inline d${index}/go.sum\ndata 1\nx\n`,
    ).join('');
    const head = 'commit refs/heads/main\ncommitter A <a@a.example> 1700000000 +0000\ndata 1\nm\n';
    spawnSync('git', ['fast-import', '--quiet'], { cwd: crowd.folder, input: head + lines });
    await expect(room.read(source(crowd.folder))).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('exclude'),
    });
  });

  it('says why it cannot be read', async () => {
    repositories.create('empty');
    repositories.create('bare-of-locks', { 'README.md': 'x' });
    const codes = async (repository: string, more = {}) =>
      await room.read(source(repository, more)).then(room.listed, (error) => [error.code, error.retryable]);
    expect(await codes(`${server.url}/empty`)).toEqual(['no-such-ref', false]);
    expect(await codes(`${server.url}/bare-of-locks`)).toEqual(['no-lockfiles', false]);
    expect(await codes(`${server.url}/nothing-here`)).toEqual(['not-found', false]);
    expect(await codes(join(repositories.root, 'nothing-here'))).toEqual(['not-found', false]);
    expect(await codes('http://127.0.0.1:1/x')).toEqual(['unreachable', true]);
    expect(await codes('https://no-such-host.invalid/x')).toEqual(['unreachable', true]);
  });
});

describe('an attack', () => {
  it('by a URL or a ref is refused before git is called', () => {
    const refused = [
      source('ext::sh -c touch% /tmp/x'),
      source('file:///etc'),
      source('--upload-pack=touch /tmp/x'),
      source('ssh://-oProxyCommand=x/y'),
      source('-oProxyCommand=x:y'),
      source('https://user:secret@host.example/x'),
      source('https://host.example/x', { ref: '--upload-pack=x' }),
      source('https://host.example/x', { ref: 'a..b' }),
      source('https://host.example/x', { ref: 'a b' }),
      source('https://host.example/x', { ref: 'a:b' }),
      source('https://host.example/x\n', {}),
      { kind: 'url', url: 'https://user:secret@host.example/x' },
      { kind: 'url', url: 'file:///etc/passwd' },
      { kind: 'path', path: 'relative' },
    ];
    for (const one of refused)
      expect(targetSourceSchema().safeParse(one).success, JSON.stringify(one)).toBe(false);
    for (const repository of [
      'git@host.example:a/b.git',
      'ssh://git@host.example/a',
      'https://host.example/a.git',
      '/srv/a',
    ]) {
      expect(targetSourceSchema().safeParse(source(repository)).success, repository).toBe(true);
    }
  });

  it('by a private address is refused', async () => {
    const guarded = sourceRoom({ guard: publicAddressesOnly([]) });
    for (const repository of [
      `${server.url}/shop`,
      'http://localhost:1/x',
      'git@127.0.0.1:x/y',
      'ssh://git@localhost/x',
    ]) {
      await expect(guarded.read(source(repository)), repository).rejects.toMatchObject({
        code: 'address-refused',
      });
    }
    await guarded.close();
  });

  it('by a name that resolves to another address after the check has no effect: git and ssh get the checked one', async () => {
    repositories.create('pinned', { 'go.sum': 'p' });
    const programs = join(repositories.root, 'pinning');
    mkdirSync(programs);
    const [log, real] = [join(programs, 'log'), execFileSync('which', ['git']).toString().trim()];
    const script = (text: string) => `#!/bin/sh\n${text}\n`;
    writeFileSync(join(programs, 'git'), script(`env >> ${log}; exec ${real} "$@"`), { mode: 0o755 });
    const ssh = script(
      `[ "$1 $2" = "-l git" ] && { echo "hostname localhost\nport 2222"; exit; }; echo "$@" >> ${log}; exit 1`,
    );
    writeFileSync(join(programs, 'ssh'), ssh, { mode: 0o755 });
    const pinning = sourceRoom({
      guard: publicAddressesOnly(['127.0.0.1']),
      inherited: { PATH: `${programs}:${process.env['PATH']}` },
    });
    const port = new URL(server.url).port;
    expect(pinning.listed(await pinning.read(source(`http://localhost:${port}/pinned`)))).toEqual([
      'go.sum: p',
    ]);
    expect(readFileSync(log, 'utf8')).toContain(`=localhost:${port}:127.0.0.1\n`);
    await expect(pinning.read(source('git@alias.invalid:org/shop'))).rejects.toMatchObject({
      name: 'SourceError',
    });
    expect(readFileSync(log, 'utf8')).toMatch(
      /-o HostName=127\.0\.0\.1 -o HostKeyAlias=\[localhost\]:2222 .*git@alias\.invalid git-upload-pack/,
    );
    await pinning.close();
  });

  it('by a git that would resolve names again is refused', async () => {
    const programs = join(repositories.root, 'old');
    mkdirSync(programs);
    writeFileSync(join(programs, 'git'), '#!/bin/sh\necho git version 2.30.2\n', { mode: 0o755 });
    const old = sourceRoom({ inherited: { PATH: `${programs}:${process.env['PATH']}` } });
    await expect(old.read(source(`${server.url}/shop`))).rejects.toMatchObject({
      code: 'git-missing',
      message: expect.stringContaining('2.37'),
    });
    await old.close();
  });

  it('by a redirect to another server is not followed', async () => {
    const redirecting = await serveRepositories(repositories.root, {
      intercept: (request, response) => {
        response.writeHead(302, { location: `${server.url}${request.url}` }).end();
        return true;
      },
    });
    server.requests();
    await expect(room.read(source(`${redirecting.url}/shop`))).rejects.toMatchObject({ code: 'redirected' });
    expect(server.requests()).toEqual([]);
    await redirecting.close();
  });

  it('by a server that never answers ends with the time limit', async () => {
    const hanging = await serveRepositories(repositories.root, { intercept: () => true });
    const impatient = sourceRoom({ timeoutMs: 500 });
    await expect(impatient.read(source(`${hanging.url}/shop`))).rejects.toMatchObject({
      code: 'timed-out',
      retryable: true,
    });
    await hanging.close();
    await impatient.close();
  });

  it('by a body that never ends ends with the time limit or the size limit', async () => {
    const endless = await serveRepositories(repositories.root, {
      intercept(request, response) {
        if (!request.url?.includes('info/refs')) return false;
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
        response.write('001e# service=git-upload-pack\n0000');
        const timer = setInterval(() => response.write(`fff0${'0'.repeat(0xfff0 - 5)}\n`), 1);
        response.on('close', () => clearInterval(timer));
        return true;
      },
    });
    const impatient = sourceRoom({ timeoutMs: 2_000 });
    await expect(impatient.read(source(`${endless.url}/shop`))).rejects.toMatchObject({
      name: 'SourceError',
    });
    await endless.close();
    await impatient.close();
  });

  it('by refs without end ends when git has used its memory', async () => {
    const line = `fff0${'0'.repeat(0xfff0 - 5)}\n`;
    const endless = await serveRepositories(repositories.root, {
      intercept(_request, response) {
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
        response.write('001e# service=git-upload-pack\n0000');
        const send = (): void => {
          while (response.write(line.repeat(16)));
        };
        response.on('drain', send);
        send();
        return true;
      },
    });
    const patient = sourceRoom({ timeoutMs: 240_000 });
    await expect(patient.read(source(`${endless.url}/shop`))).rejects.toMatchObject({
      code: 'too-large',
      retryable: false,
    });
    await endless.close();
    await patient.close();
  });

  it('by a server without the git protocol that names other servers for its objects is not followed', async () => {
    const shop = repositories.create('dumb', { 'go.sum': 'd' });
    const commit = git(shop.folder, 'rev-parse', 'HEAD');
    const other = await serveRepositories(repositories.root);
    const dumb = await serveRepositories(repositories.root, {
      intercept({ url = '' }, response) {
        const answers: Readonly<Record<string, string>> = {
          '/x/info/refs?service=git-upload-pack': `${commit}\trefs/heads/main\n`,
          '/x/HEAD': 'ref: refs/heads/main\n',
          '/x/objects/info/http-alternates': `${other.url}/dumb/.git/objects/\n`,
          '/x/objects/info/alternates': `${other.url}/dumb/.git/objects/\n`,
        };
        response.writeHead(url in answers ? 200 : 404, { 'content-type': 'text/plain' }).end(answers[url]);
        return true;
      },
    });
    await expect(room.read(source(`${dumb.url}/x`))).rejects.toMatchObject({ name: 'SourceError' });
    expect(dumb.requests()).not.toEqual([]);
    expect(other.requests()).toEqual([]);
    await Promise.all([dumb.close(), other.close()]);
  });

  it('by a submodule has no effect: nothing asks for it', async () => {
    const parent = repositories.create('parent', {
      'go.sum': 'p',
      '.gitmodules': `[submodule "in"]\n\tpath = in\n\turl = ${server.url}/shop\n\tupdate = !touch x\n`,
    });
    const commit = git(parent.folder, 'rev-parse', 'HEAD');
    git(parent.folder, 'update-index', '--add', '--cacheinfo', `160000,${commit},in`);
    git(parent.folder, 'update-index', '--add', '--cacheinfo', `160000,${commit},package-lock.json`);
    git(parent.folder, 'commit', '--quiet', '--message', 'submodules');
    server.requests();
    expect(room.listed(await room.read(source(`${server.url}/parent`)))).toEqual(['go.sum: p']);
    expect(server.requests().every(({ url }) => url.startsWith('/parent/'))).toBe(true);
  });

  it('by names of files that lead elsewhere has no effect: every content is one of the repository', async () => {
    const names = repositories.create('names', { 'go.sum': 'n' });
    const blob = git(names.folder, 'rev-parse', 'HEAD:go.sum');
    // No git writes these trees; another program may.
    const tree = (entries: readonly (readonly [mode: string, name: string, oid: string])[]) => {
      const content = entries.flatMap(([mode, name, oid]) => [
        Buffer.from(`${mode} ${name}\0`),
        Buffer.from(oid, 'hex'),
      ]);
      const { stdout } = spawnSync('git', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
        cwd: names.folder,
        input: Buffer.concat(content),
      });
      return stdout.toString().trim();
    };
    const inner = tree([['100644', 'yarn.lock', blob]]);
    const root = tree([
      ['40000', '..', tree([['40000', '..', inner]])],
      ['40000', '.git', inner],
      ['100644', '/etc/poetry.lock', blob],
      ['100644', 'go.sum', blob],
    ]);
    git(names.folder, 'update-ref', 'refs/heads/main', git(names.folder, 'commit-tree', root, '-m', 'x'));
    const listed = room.listed(await room.read(source(names.folder)));
    expect([...listed].sort()).toEqual(['../../yarn.lock: n', '/etc/poetry.lock: n', 'go.sum: n']);
  });

  it('by a tree whose folders repeat a billion times ends at the limit of the list', async () => {
    const bomb = repositories.create('bomb', { 'go.sum': 'b' });
    let entry = `100644 blob ${git(bomb.folder, 'rev-parse', 'HEAD:go.sum')}`;
    for (let depth = 0; depth < 9; depth += 1) {
      const input = Array.from({ length: 10 }, (_, index) => `${entry}\td${index}`).join('\n');
      const { stdout } = spawnSync('git', ['mktree'], { cwd: bomb.folder, input });
      entry = `040000 tree ${stdout.toString().trim()}`;
    }
    const commit = git(bomb.folder, 'commit-tree', entry.split(' ').at(-1) ?? '', '-m', 'x');
    git(bomb.folder, 'update-ref', 'refs/heads/main', commit);
    const limits = { maxLockfileBytes: 1_000_000, maxTotalBytes: 1_000_000, maxListBytes: 10_000_000 };
    const patient = sourceRoom({ timeoutMs: 240_000, limits });
    await expect(patient.read(source(bomb.folder))).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('too many files to list'),
    });
    await patient.close();
  });

  it('on a worker without git is a fault of this source that names the remedy', async () => {
    const bare = sourceRoom({ inherited: { PATH: '/nonexistent' } });
    await expect(bare.read(source(`${server.url}/shop`))).rejects.toMatchObject({
      code: 'git-missing',
      message: expect.stringContaining('PATH'),
    });
    await bare.close();
  });

  it('aborting ends git at once, with the reason of the signal', async () => {
    const hanging = await serveRepositories(repositories.root, { intercept: () => true });
    const stop = new AbortController();
    const reading = room.read(source(`${hanging.url}/shop`), undefined, stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 200);
    await expect(reading).rejects.toThrow('enough');
    await hanging.close();
  });
});

describe('credentials', () => {
  const credentials = (hosts: readonly string[], secret = 'token-5f0c9a') =>
    new Map([['main', { hosts, secret: new Secret(secret) }]]);

  it('are sent to their hosts, and never in arguments', async () => {
    repositories.create('secret', { 'go.sum': 'closed' });
    // A program named git that notes its arguments.
    const programs = join(repositories.root, 'programs');
    mkdirSync(programs);
    const log = join(programs, 'log');
    const real = execFileSync('which', ['git']).toString().trim();
    writeFileSync(join(programs, 'git'), `#!/bin/sh\necho "$@" >> ${log}\nexec ${real} "$@"\n`, {
      mode: 0o755,
    });
    const inherited = { PATH: `${programs}:${process.env['PATH']}` };
    const closed = await serveRepositories(repositories.root, { token: 'token-5f0c9a' });
    const host = new URL(closed.url).host;
    const own = sourceRoom({ credentials: credentials([host]), inherited });
    const reading = await own.read(source(`${closed.url}/secret`, { credentials: 'main' }));
    expect(own.listed(reading)).toEqual(['go.sum: closed']);
    const called = readFileSync(log, 'utf8');
    expect(called).toContain('ls-remote');
    // For the lockfiles, and for what they may name, together.
    expect(called.match(/^ls-tree/gm)).toHaveLength(1);
    for (const form of [
      'token-5f0c9a',
      Buffer.from('x-access-token:token-5f0c9a').toString('base64'),
      closed.url,
    ]) {
      expect(called).not.toContain(form);
    }
    expect(new Set(closed.requests().map(({ authorization }) => authorization))).toEqual(
      new Set([`Basic ${Buffer.from('x-access-token:token-5f0c9a').toString('base64')}`]),
    );
    await expect(own.read(source(`${closed.url}/secret`))).rejects.toMatchObject({ code: 'refused' });
    const wrong = sourceRoom({ credentials: credentials([host], 'token-wrong') });
    await expect(wrong.read(source(`${closed.url}/secret`, { credentials: 'main' }))).rejects.toMatchObject({
      code: 'refused',
      retryable: false,
      message: expect.not.stringContaining('token-wrong'),
    });
    expect(readFileSync(log, 'utf8').match(/^version$/gm)).toHaveLength(1);
    await Promise.all([closed.close(), own.close(), wrong.close()]);
  });

  it('of the home folder are not sent', async () => {
    const home = join(repositories.root, 'home');
    mkdirSync(home);
    writeFileSync(join(home, '.netrc'), 'default login git password of-the-operator\n');
    const inherited = { PATH: process.env['PATH'] ?? '', HOME: home };
    const closed = await serveRepositories(repositories.root, { token: 'other' });
    const own = sourceRoom({ inherited });
    await expect(own.read(source(`${closed.url}/shop`))).rejects.toMatchObject({ code: 'refused' });
    const sent = closed.requests();
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.every(({ authorization }) => authorization === undefined)).toBe(true);
    await Promise.all([closed.close(), own.close()]);
  });

  it('are not sent to other hosts, over http, or by an unknown name', async () => {
    server.requests();
    const own = sourceRoom({ credentials: credentials(['git.example', 'plain.example']), guard: () => true });
    const code = (repository: string, name: string) =>
      own.read(source(repository, { credentials: name })).catch((error) => [error.code, error.message]);
    expect(await code(`${server.url}/shop`, 'main')).toEqual([
      'credentials-invalid',
      expect.stringContaining('may not be sent there'),
    ]);
    expect(await code(`${server.url}/shop`, 'other')).toEqual([
      'credentials-invalid',
      expect.stringContaining('no entry `other`'),
    ]);
    expect(await code('git@git.example:a/b', 'main')).toEqual([expect.any(String), expect.any(String)]);
    expect(server.requests()).toEqual([]);
    await own.close();
  });
});
