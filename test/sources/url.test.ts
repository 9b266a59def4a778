import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicAddressesOnly } from '../../src/http/address-guard.ts';
import { Secret } from '../../src/model/secret.ts';
import { sourceRoom } from './reading.ts';

let origin: string;
let other: string;
let seen: { readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
const close: (() => Promise<unknown>)[] = [];

const LOCK = '{"lockfileVersion": 3, "packages": {}}';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const ANSWERS: Readonly<Record<string, Answer>> = {
  '/package-lock.json': (request, response) => {
    if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"v1"' }).end(LOCK);
  },
  '/dated/yarn.lock': (request, response) => {
    const date = 'Sat, 21 Nov 2026 10:00:00 GMT';
    if (request.headers['if-modified-since'] === date) response.writeHead(304).end();
    else response.writeHead(200, { 'last-modified': date }).end('# yarn lockfile v1');
  },
  '/sbom?format=cdx': (_, response) => response.end('{"bomFormat": "CycloneDX", "specVersion": "1.6"}'),
  '/page': (_, response) => response.end('<html>sign in</html>'),
  '/moved/package-lock.json': (_, response) =>
    response.writeHead(302, { location: `${other}/package-lock.json` }).end(),
  '/private/package-lock.json': (_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/away': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/large/go.sum': (_, response) => response.end('x'.repeat(2_000_000)),
  '/bomb/go.sum': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
  '/endless/go.sum': (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(timer));
  },
  '/hanging/go.sum': () => {},
  '/refused/go.sum': (_, response) => response.writeHead(403).end(),
  '/busy/go.sum': (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
  '/not-asked/go.sum': (_, response) => response.writeHead(304).end(),
};

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    const answer = ANSWERS[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

beforeAll(async () => {
  origin = await serve();
  other = await serve();
});
afterAll(async () => {
  for (const step of close) await step();
});

const source = (path: string, more: object = {}) => ({ kind: 'url', url: `${origin}${path}`, ...more });

function room(changes: Parameters<typeof sourceRoom>[0] = {}) {
  const own = sourceRoom({ maxBytes: 1_000_000, timeoutMs: 60_000, ...changes });
  close.push(own.close);
  return own;
}

describe('a URL', () => {
  it('is read once for each version, by ETag or date', async () => {
    const { read, listed } = room();
    const first = await read(source('/package-lock.json'));
    expect(listed(first)).toEqual([`package-lock.json: ${LOCK}`]);
    expect(first).toMatchObject({ revision: { etag: '"v1"' }, files: [{ format: 'npm-package-lock' }] });
    expect(await read(source('/package-lock.json'), { etag: '"v1"' })).toBe('unchanged');
    expect(listed(await read(source('/package-lock.json'), { etag: '"v0"' }))).toHaveLength(1);
    const dated = await read(source('/dated/yarn.lock'));
    if (dated === 'unchanged') throw new Error('it was read');
    expect(await read(source('/dated/yarn.lock'), dated.revision)).toBe('unchanged');
  });

  it('has a file name and a format from its path, its content or the source', async () => {
    const { read, listed } = room();
    expect(await read(source('/sbom?format=cdx'))).toMatchObject({
      files: [{ path: 'sbom', format: 'cyclonedx-json' }],
    });
    const named = await read(source('/package-lock.json', { file: 'npm.json', format: 'npm-package-lock' }));
    expect(listed(named)).toEqual([`npm.json: ${LOCK}`]);
    await expect(read(source('/page'))).rejects.toMatchObject({ code: 'no-lockfiles' });
  });

  it('may redirect; credentials are for its own origin', async () => {
    const own = room({
      credentials: new Map([['main', { hosts: [new URL(origin).host], secret: new Secret('s3cret') }]]),
    });
    seen = [];
    const reading = await own.read(source('/moved/package-lock.json', { credentials: 'main' }));
    expect(own.listed(reading)).toEqual([`package-lock.json: ${LOCK}`]);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer s3cret', undefined]);
  });

  it.each([
    ['/private/package-lock.json', 'address-refused', false],
    ['/loop', 'redirected', false],
    ['/away', 'redirected', false],
    ['/large/go.sum', 'too-large', false],
    ['/bomb/go.sum', 'too-large', false],
    ['/endless/go.sum', 'timed-out', true],
    ['/hanging/go.sum', 'timed-out', true],
    ['/refused/go.sum', 'refused', false],
    ['/busy/go.sum', 'unreachable', true],
    ['/nothing/go.sum', 'not-found', false],
    ['/not-asked/go.sum', 'failed', false],
  ])('%s: %s', async (path, code, retryable) => {
    // The wait that one server asks for does not apply to others.
    const own = room(code === 'timed-out' ? { timeoutMs: 1_000 } : {});
    await expect(own.read(source(path))).rejects.toMatchObject({
      code,
      retryable,
      retryAfterMs: undefined,
    });
  });

  it('at a private address is refused', async () => {
    const { read } = room({ guard: publicAddressesOnly([]) });
    await expect(read(source('/package-lock.json'))).rejects.toMatchObject({ code: 'address-refused' });
  });
});
