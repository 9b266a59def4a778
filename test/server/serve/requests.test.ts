import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { asDescription } from '../../../src/discovery/description/description.ts';
import { methodsOf } from '../../../src/discovery/description/methods.ts';
import { startServe } from '../../../src/server/serve.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { tracked } from '../../store/fleet/fleet-room.ts';
import { until } from '../../until.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
beforeAll(async () => {
  room = await openServeRoom();
  const findings = ['a', 'b', 'c'].map((name) => tracked('t', `${name}@1.0.0`, 'high'));
  await room.fleets[0]?.save('t', [], { findings });
  api = await room.serve({ LOCKHOUND_SERVE_RECEIVE_TIMEOUT: '1s' });
});
afterAll(() => room.close());

/** Sends text over a socket, and resolves to all that comes back until the server closes it. */
async function raw(text: string, { server: { url } } = api): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  let answer = '';
  socket.on('data', (part) => {
    answer += String(part);
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

it('an answer that nobody reads is dropped', async () => {
  const { hostname, port } = new URL(api.server.url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  // More than the buffers of the connection take.
  const request = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n';
  socket.write(request.repeat(200));
  await until('the connection is closed', () => {
    socket.write(request);
    return socket.destroyed;
  });
});

describe('a request', () => {
  it('is described: by the directory, the document and OpenAPI', async () => {
    const { items } = (await api.request('/discovery/v1/apis')).json;
    expect(items).toMatchObject([{ id: 'lockhound:v1', preferred: true }]);
    const document = asDescription((await (await fetch(items[0].discoveryRestUrl)).json()) as object, 'it');
    expect(document).toMatchObject({ rootUrl: `${api.server.url}/`, baseUrl: `${api.server.url}/api/v1/` });
    const { json } = await api.request('/openapi.json');
    const ids = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (path) => Object.values(path).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(
      methodsOf(document)
        .map(({ id }) => id)
        .sort(),
    );
    expect(json.servers).toEqual([{ url: `${api.server.url}/api/v1` }]);
  });

  it.each([
    ['findings?severity=worst', 400, 'severity has to be one of'],
    ['findings?pageSize=0', 400, 'pageSize has to be at least 1'],
    ['findings?pageSize=501', 400, 'pageSize'],
    ['findings?pageSize=1&pageSize=2', 400, 'pageSize is given twice'],
    ['findings?sevrity=high', 400, 'findings.list has no parameter sevrity'],
    ['findings?direct=yes', 400, 'true or false'],
    ['findings?label=team', 400, 'label has to match'],
    ['findings?since=yesterday', 400, 'expected a time'],
    [`findings?search=${'x'.repeat(5_000)}`, 400, 'longer than'],
    ['packages/where?package=', 400, 'names no package'],
    ['targets/%E0%A4%A', 400, ''],
    ['targets/..%2F..%2Fadmin', 404, 'no target'],
    ['nothing', 404, 'no GET /api/v1/nothing'],
  ])('%.40s is refused with %i', async (path, status, reason) => {
    const { json, headers, ...answer } = await api.request(`/api/v1/${path}`);
    expect([answer.status, json.status]).toEqual([status, status]);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(json.detail).toContain(reason);
    expect(json.instance).toBe(`urn:lockhound:request:${headers.get('x-request-id')}`);
  });

  it.each([
    ['PUT', '/api/v1/scans', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/scans', 'GET, HEAD, POST'],
    ['TRACE', '/api/v1/scans', 'GET, HEAD, POST'],
    ['PROPFIND', '/api/v1/targets/org%2Fshop?a=b', 'DELETE, GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['TRACE', '/findings', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['PROPFIND', '/readyz', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['PATCH', '/page/page.js', 'GET, HEAD'],
    ['GET', '/hooks/hub', 'POST'],
  ])('%s of %s, which has other verbs, is refused', async (method, path, allow) => {
    const { host } = new URL(api.server.url);
    // No body is received: neither its type nor its size matters. `fetch` sends no TRACE.
    const answer = await raw(
      `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: text/x\r\nContent-Length: 1\r\n\r\n`,
    );
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain('HTTP/1.1 405 ');
    expect(head.toLowerCase()).toContain(`\r\nallow: ${allow.toLowerCase()}\r\n`);
    expect(head).toContain('application/problem+json');
    expect(head).not.toContain('access-control-allow-origin');
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:lockhound:problem:verb-not-allowed', status: 405 });
  });

  it.each([
    ['POST', '/none'],
    ['TRACE', '/api/v1/none'],
    ['POST', '/api/v1/targets/'],
  ])('%s of %s, which no route has, is refused', async (method, path) => {
    const { host } = new URL(api.server.url);
    const answer = await raw(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 404 ');
    expect(answer).toContain('urn:lockhound:problem:no-route');
  });

  it.each([
    ['bytes that are not UTF-8', {}, Buffer.from('{"target":"\xff"}', 'latin1'), 'not UTF-8'],
    ['what is not gzip', { 'content-encoding': 'gzip' }, Buffer.from('{}'), 'not gzip'],
    ['a cut text', {}, Buffer.from('{"target":'), 'not valid JSON'],
    ['deep lists', {}, Buffer.from(`{"labels":${'['.repeat(50_000)}${']'.repeat(50_000)}}`), '$.labels'],
  ])('with a body of %s is refused', async (_name, headers, body, reason) => {
    const { status, json } = await api.request('/api/v1/scans', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: new Uint8Array(body),
    });
    expect([status, json.detail]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('with a forged, cut or foreign page token is refused', async () => {
    const { nextPageToken: token } = await api.read('lockhound.findings.list', 'findings?pageSize=1');
    const [text = '', mac = ''] = token.split('.');
    const other = Buffer.from(text, 'base64url').toString('utf8').replace('"t"', '"u"');
    for (const forged of [
      '',
      'x',
      text,
      `${text}.`,
      `.${mac}`,
      `${Buffer.from(other).toString('base64url')}.${mac}`,
    ]) {
      const answer = await api.request(`/api/v1/findings?pageSize=1&pageToken=${forged}`);
      expect([forged, answer.status]).toEqual([forged, 400]);
      expect(answer.json.type).toBe('urn:lockhound:problem:page-token-invalid');
    }
    const question = `findings?pageSize=1&severity=low&pageToken=${token}`;
    expect((await api.request(`/api/v1/${question}`)).status).toBe(400);
    const otherServer = await room.serve();
    expect((await otherServer.request(`/api/v1/findings?pageToken=${token}`)).status).toBe(400);
  });

  it('that names an ETag it has is answered with 304', async () => {
    const first = await api.request('/api/v1/findings');
    const etag = first.headers.get('etag') ?? '';
    const again = await api.request('/api/v1/findings', { headers: { 'if-none-match': `"x", ${etag}` } });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = await api.request('/api/v1/findings?pageSize=1', { headers: { 'if-none-match': etag } });
    expect(other.status).toBe(200);
  });

  it('has headers that keep its answer out of other pages', async () => {
    for (const path of ['/api/v1/findings', '/openapi.json', '/none']) {
      const { headers } = await api.request(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
  });

  it('shows names of packages as data', async () => {
    const script = '<script>alert(1)</script>@1.0.0';
    await room.fleets[0]?.save('evil', [], { findings: [tracked('evil', script, 'high')] });
    await until(
      'it is listed',
      async () => (await api.request('/api/v1/findings?target=evil')).json.total === 1,
    );
    const { headers, text } = await api.request('/api/v1/findings?target=evil');
    expect(text).toContain('<script>');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('of another web site, or by another host name, is refused without tokens', async () => {
    const get = 'GET /api/v1/fleet HTTP/1.1\r\nConnection: close\r\n';
    const { host } = new URL(api.server.url);
    expect(await raw(`${get}Host: attacker.example\r\n\r\n`)).toContain('host-unknown');
    expect(await raw(`${get}Host: ${host}\r\nOrigin: https://attacker.example\r\n\r\n`)).toContain(
      'origin-foreign',
    );
    expect(await raw(`${get}Host: ${host}\r\nSec-Fetch-Site: cross-site\r\n\r\n`)).toContain(
      'origin-foreign',
    );
    expect(await raw(`${get}Host: ${host}\r\n\r\n`)).toContain('200 OK');
  });

  it('that is no HTTP, or has huge headers, is answered with a problem', async () => {
    for (const [text, status, code] of [
      ['nonsense\r\n\r\n', 400, 'not-http'],
      ['GET / HTTP/1.1\r\nHost: localhost\r\nX: ' + 'x'.repeat(20_000), 431, 'headers-too-large'],
    ] as const) {
      const [head = '', body = ''] = (await raw(text)).split('\r\n\r\n');
      expect(head).toContain(`HTTP/1.1 ${status} `);
      expect(head).toContain('application/problem+json');
      expect(JSON.parse(body)).toMatchObject({ type: `urn:lockhound:problem:${code}`, status });
    }
  });

  it('that is too large is refused for clients, too, that read nothing before they have sent all', async () => {
    // A busy machine may need more than a second for the body.
    const patient = await room.serve();
    const { host } = new URL(patient.server.url);
    const body = 'x'.repeat(20_000_000);
    const headers = `Host: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    expect(await raw(`POST /api/v1/packages/check HTTP/1.1\r\n${headers}\r\n\r\n${body}`, patient)).toContain(
      '413',
    );
  });

  it('that comes too slowly is ended', async () => {
    const { host } = new URL(api.server.url);
    expect(await raw(`GET /api/v1/fleet HTTP/1.1\r\nHost: ${host}\r\n`)).toContain('408');
    const json = 'Content-Type: application/json';
    const slow = `POST /api/v1/scans HTTP/1.1\r\nHost: ${host}\r\n${json}\r\nContent-Length: 10\r\n\r\n1`;
    expect(await raw(slow)).toContain('408');
  });
});

it('answers nobody on an address that other machines reach until there is a token', async () => {
  const loaded = loadConfig({ environment: room.environment });
  const server = await startServe(loaded, { host: '0.0.0.0', port: 0 });
  try {
    expect(server.note).toContain('lockhound tokens create');
    const get = async (path: string, token?: string) => {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await fetch(`http://127.0.0.1:${new URL(server.url).port}${path}`, { headers });
      return [answer.status, await answer.text()] as const;
    };
    for (const path of ['/api/v1/fleet', '/api/v1/session', '/metrics']) {
      expect([path, ...(await get(path))]).toEqual([
        path,
        401,
        expect.stringContaining('lockhound tokens create'),
      ]);
    }
    expect(await get('/healthz')).toEqual([200, '{"status":"ok"}']);
    const keys = createKeys();
    const { token } = await newTokens(createApiTokenStore(room.redis, keys)).create({
      name: 'first',
      role: 'admin',
    });
    await until('the token is accepted', async () => (await get('/api/v1/session', token))[0] === 200);
    await until('others are told to sign in', async () =>
      (await get('/api/v1/session'))[1].includes('sign in'),
    );
  } finally {
    await server.close();
  }
});
