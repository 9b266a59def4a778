import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanIdOf } from '../../../src/model/scan/scan-id.ts';
import { until } from '../../until.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
let file: string;
const SECRET = 'trigger-secret';
beforeAll(async () => {
  room = await openServeRoom();
  file = join(await mkdtemp(join(tmpdir(), 'serve-')), 'lockhound.yaml');
  await writeFile(
    file,
    `serve:
  sources:
    - { url: "https://git.example/org/*" }
  triggers:
    - { name: hub, kind: github, secret: { env: HOOK_SECRET }, prefix: "hub/" }
`,
  );
  api = await room.serve({ LOCKHOUND_CONFIG: file, HOOK_SECRET: SECRET });
});
afterAll(() => room.close());

const submit = (source: object, more: object = {}) =>
  api.request('/api/v1/scans', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ target: 'a/shop', source, ...more }),
  });

const queued = async (): Promise<readonly string[]> =>
  (await api.read('lockhound.scans.list', 'scans?state=queued')).scans.map(
    ({ scan, target }: { scan: string; target: string }) => `${scan} ${target}`,
  );

describe('a source', () => {
  it('is scanned when the configuration allows it', async () => {
    const answer = await submit({ kind: 'git', url: 'https://git.example/org/shop.git' }, { scan: 's1' });
    expect([answer.status, answer.json]).toEqual([202, { scan: scanIdOf('a/shop', 's1') }]);
    expect(await queued()).toEqual([`${scanIdOf('a/shop', 's1')} a/shop`]);
  });

  it.each([
    ['another host', 'https://evil.example/org/x.git', 403],
    ['a metadata service', 'http://169.254.169.254/latest/meta-data/', 403],
    ['this machine', 'http://127.0.0.1:6379/org/', 403],
    ['a host in the user name', 'https://git.example@evil.example/org/x', 400],
    ['a path that leaves the allowed one', 'https://git.example/org/../secret/x.git', 403],
    ['the same, encoded', 'https://git.example/org/%2e%2e/secret/x.git', 403],
    ['a backslash', 'https:\\\\evil.example\\org\\x', 400],
    ['an encoded slash', 'https://git.example/org/..%2fsecret/x.git', 400],
    ['a backslash in the host', 'https://git.example\\@127.0.0.1/org/x.git', 400],
    ['an encoded backslash', 'https://git.example/org/..%5csecret/x.git', 400],
    ['a fragment', 'https://git.example/org/x#y', 400],
    ['a file', 'file:///etc/passwd', 400],
    ['ssh', 'ssh://git.example/org/x.git', 400],
  ])('is refused for %s', async (_what, url, status) => {
    expect((await submit({ kind: 'git', url })).status).toBe(status);
    expect((await submit({ kind: 'url', url })).status).toBe(status);
  });

  it('has an id that another source of the target cannot have', async () => {
    const source = { kind: 'git', url: 'https://git.example/org/first.git' };
    const statuses = [];
    for (const one of [source, source, { ...source, url: 'https://git.example/org/second.git' }]) {
      statuses.push((await submit(one, { scan: 'twice' })).status);
    }
    expect(statuses).toEqual([202, 202, 409]);
  });

  it('is refused for a ref that git would read as an option, and beside lockfiles', async () => {
    const source = { kind: 'git', url: 'https://git.example/org/shop.git' };
    expect((await submit({ ...source, ref: '--upload-pack=x' })).status).toBe(400);
    expect((await submit(source, { lockfiles: [] })).status).toBe(400);
    expect((await submit({ ...source, kind: 'path' })).status).toBe(400);
  });
});

describe('a push', () => {
  const push = (url: string, secret = SECRET) => {
    const repository = {
      clone_url: url,
      full_name: 'org/shop',
      default_branch: 'main',
      pushed_at: Math.floor(Date.now() / 1_000),
    };
    const body = JSON.stringify({ ref: 'refs/heads/main', after: 'a'.repeat(40), repository });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-hub-signature-256': `sha256=${signature}`,
    };
    return () => api.request('/hooks/hub', { method: 'POST', headers, body });
  };

  it('scans the repository once', async () => {
    const send = push('https://git.example/org/shop.git');
    const first = await send();
    expect([first.status, first.json]).toEqual([202, { scan: expect.stringMatching(/^push-/) }]);
    expect((await send()).json).toMatchObject({ ...first.json, ignored: 'the push is known' });
    expect((await queued()).filter((one) => one.endsWith(' hub/org/shop'))).toHaveLength(1);
  });

  it('is refused with another secret, of another repository and for an unknown trigger', async () => {
    expect((await push('https://git.example/org/shop.git', 'x')()).status).toBe(401);
    expect((await push('https://evil.example/org/shop.git')()).status).toBe(403);
    expect((await api.request('/hooks/none', { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await api.request('/hooks/..%2Fhub', { method: 'POST', body: '{}' })).status).toBe(404);
  });

  it('without a signature is refused before its body is received, with a wrong one when it is too large', async () => {
    const post = (headers: Readonly<Record<string, string>>) => raw('/hooks/hub', headers);
    expect(await post({ 'content-length': '20000000' })).toMatch(/^HTTP\/1\.1 401 /);
    const signature = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    expect(await post({ ...signature, 'content-length': '26214401' })).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is limited when it is forged, and not when it is signed', async () => {
    const statuses = new Set<number>();
    await until('forged ones are refused', async () => {
      const forged = Array.from({ length: 20 }, push('https://git.example/org/shop.git', 'x'));
      for (const { status } of await Promise.all(forged)) statuses.add(status);
      return statuses.has(429);
    });
    expect([...statuses].sort()).toEqual([401, 429]);
    expect((await push('https://git.example/org/shop.git')()).status).toBe(202);
  });

  it('needs a secret when the server starts', async () => {
    const unset = room.serve({ LOCKHOUND_CONFIG: file, HOOK_SECRET: '' });
    await expect(unset).rejects.toThrow(
      'serve.triggers.hub.secret: environment variable HOOK_SECRET is not set',
    );
  });
});

/** Sends the head of a request and no body. Resolves to what is answered. */
async function raw(path: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { hostname, port, host } = new URL(api.server.url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return String(answer);
}

describe('bodies that are received at the same time', () => {
  it('of slow callers with made-up signatures do not keep out a push', async () => {
    const { hostname, port, host } = new URL(api.server.url);
    const head = [
      ...['POST /hooks/hub HTTP/1.1', `host: ${host}`, 'content-type: application/json'],
      ...[`x-hub-signature-256: sha256=${'0'.repeat(64)}`, 'content-length: 26000000'],
    ];
    const sockets = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const socket = createConnection({ host: hostname, port: Number(port) }).on('error', () => {});
        socket.write(`${head.join('\r\n')}\r\n\r\n`);
        const sent = Promise.withResolvers<void>();
        socket.write(Buffer.alloc(25_500_000), () => sent.resolve());
        // One of them is ended when there is no more room.
        await Promise.race([sent.promise, once(socket, 'close')]);
        return socket;
      }),
    );
    const repository = {
      clone_url: 'https://git.example/org/genuine.git',
      full_name: 'org/genuine',
      default_branch: 'main',
    };
    const body = JSON.stringify({
      ref: 'refs/heads/main',
      after: 'a'.repeat(40),
      repository,
      filler: 'x'.repeat(1_000_000),
    });
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-hub-signature-256': `sha256=${signature}`,
    };
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await api.request('/hooks/hub', { method: 'POST', headers, body })).status).toBe(202);
    }
    for (const socket of sockets) socket.destroy();
  });
});
