import type { RequestListener } from 'node:http';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { publicAddressesOnly } from '../../src/http/address-guard.ts';
import { toHttpError } from '../../src/http/errors.ts';
import { createHttpClient, type HttpClientOptions } from '../../src/http/undici-client.ts';
import { startTestServer } from './test-server.ts';

const closing: (() => Promise<void>)[] = [];
const quick = { attempts: 3, baseMs: 5, longestWaitMs: 50 };

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function setUp(listener: RequestListener, options: HttpClientOptions = {}) {
  const server = await startTestServer(listener);
  const http = createHttpClient({ retry: quick, ...options });
  closing.push(() => http.close(), server.close);
  return { http, url: server.url };
}

describe('answers', () => {
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('are decompressed: %s', async (encoding, compress) => {
    const { http, url } = await setUp((request, response) => {
      expect(request.headers['accept-encoding']).toContain(encoding);
      response.setHeader('content-encoding', encoding).end(compress(Buffer.from('hello')));
    });
    const answer = await http.send({ method: 'GET', url });
    expect(answer.body.toString()).toBe('hello');
  });

  test('that are damaged or in an unknown encoding are refused', async () => {
    const { http, url } = await setUp((request, response) => {
      const encoding = request.url === '/broken' ? 'gzip' : 'snappy';
      response.setHeader('content-encoding', encoding).end('no such thing');
    });
    const send = (path: string) => http.send({ method: 'GET', url: url + path });
    await expect(send('/broken')).rejects.toMatchObject({ code: 'invalid-answer' });
    await expect(send('/unknown')).rejects.toMatchObject({ code: 'invalid-answer' });
  });

  test('that are too large are refused, as sent and as decompressed', async () => {
    const large = Buffer.alloc(200_000);
    const { http, url } = await setUp(
      (request, response) => {
        if (request.url === '/plain') response.end(large);
        else response.setHeader('content-encoding', 'gzip').end(gzipSync(large));
      },
      { maxResponseBytes: 100_000 },
    );
    const send = (path: string) => http.send({ method: 'GET', url: url + path });
    await expect(send('/plain')).rejects.toMatchObject({ code: 'too-large' });
    await expect(send('/bomb')).rejects.toMatchObject({ code: 'too-large' });
  });

  test('of which only the beginning is read are cut, and may be incomplete', async () => {
    const { http, url } = await setUp(
      (request, response) => {
        expect(request.headers['accept-encoding']).toBe('identity');
        if (request.url === '/large') response.setHeader('content-length', 3_000_000);
        if (request.url === '/packed') response.setHeader('content-encoding', 'gzip');
        response.write('x'.repeat(1_000));
        if (request.url === '/large') response.end('y'.repeat(2_999_000));
        else if (request.url === '/packed') response.end();
        else setTimeout(() => response.destroy(), 20);
      },
      { maxResponseBytes: 100_000 },
    );
    const beginning = async (path: string) => {
      const { status, body } = await http.send({ method: 'POST', url: url + path, answerBytes: 1_500 });
      return [status, body.toString()];
    };
    expect(await beginning('/large')).toEqual([200, 'x'.repeat(1_000) + 'y'.repeat(500)]);
    expect(await beginning('/broken-off')).toEqual([200, 'x'.repeat(1_000)]);
    expect(await beginning('/packed')).toEqual([200, '']);
  });

  test('that redirect are returned, not followed', async () => {
    let calls = 0;
    const { http, url } = await setUp((_request, response) => {
      calls += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await http.send({ method: 'GET', url })).toMatchObject({ status: 302 });
    expect(calls).toBe(1);
  });
});

describe('requests', () => {
  test('carry method, body, headers, and the credentials of the URL', async () => {
    const { http, url } = await setUp(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { authorization, 'x-one': one, 'user-agent': agent } = request.headers;
      const body = Buffer.concat(chunks).toString();
      response.end(JSON.stringify([request.method, request.url, authorization, one, agent, body]));
    });
    const answer = await http.send({
      method: 'put',
      url: `${url.replace('//', '//me:100%25@')}/a%2Fb?c=d`,
      headers: { 'x-one': '1' },
      body: 'ü',
    });
    const basic = `Basic ${Buffer.from('me:100%').toString('base64')}`;
    expect(JSON.parse(answer.body.toString())).toEqual(['PUT', '/a%2Fb?c=d', basic, '1', 'lockhound', 'ü']);
  });

  test('end when the client is closed', async () => {
    const { http, url } = await setUp(() => {});
    const failure = expect(http.send({ method: 'GET', url })).rejects.toMatchObject({ code: 'aborted' });
    await http.close();
    await failure;
  });
});

describe('retries', () => {
  const failFirst = (failures: number, status: number, headers: Record<string, string> = {}) => {
    const calls: number[] = [];
    const listener: RequestListener = (_request, response) => {
      calls.push(Date.now());
      if (calls.length <= failures) response.writeHead(status, headers).end('busy');
      else response.end('done');
    };
    return { calls, listener };
  };

  test.each([429, 502, 503, 504])('HTTP %i is retried', async (status) => {
    const { calls, listener } = failFirst(2, status);
    const { http, url } = await setUp(listener);
    expect((await http.send({ method: 'GET', url })).status).toBe(200);
    expect(calls).toHaveLength(3);
  });

  test('end with the last answer', async () => {
    const { calls, listener } = failFirst(9, 503);
    const { http, url } = await setUp(listener);
    expect((await http.send({ method: 'GET', url })).status).toBe(503);
    expect(calls).toHaveLength(3);
  });

  test('are limited to idempotent requests', async () => {
    const { calls, listener } = failFirst(1, 503);
    const { http, url } = await setUp(listener);
    expect((await http.send({ method: 'POST', url, body: '{}' })).status).toBe(503);
    expect(calls).toHaveLength(1);
    expect((await http.send({ method: 'POST', url, body: '{}', idempotent: true })).status).toBe(200);
  });

  test('wait as long as the service asks, when that is brief', async () => {
    const { calls, listener } = failFirst(1, 429, { 'retry-after': '0.2' });
    const { http, url } = await setUp(listener, { retry: { ...quick, longestWaitMs: 500 } });
    await http.send({ method: 'GET', url });
    expect((calls[1] ?? 0) - (calls[0] ?? 0)).toBeGreaterThanOrEqual(195);
  });

  test('leave a longer wait to the caller', async () => {
    const { calls, listener } = failFirst(1, 429, { 'retry-after': '60' });
    const { http, url } = await setUp(listener);
    expect(await http.send({ method: 'GET', url })).toMatchObject({ status: 429, retryAfterMs: 60_000 });
    expect(calls).toHaveLength(1);
  });

  test('repair a lost connection', async () => {
    let calls = 0;
    const { http, url } = await setUp((request, response) => {
      calls += 1;
      if (calls === 1) request.socket.destroy();
      else response.end('done');
    });
    expect((await http.send({ method: 'GET', url })).body.toString()).toBe('done');
    calls = 0;
    await expect(http.send({ method: 'POST', url })).rejects.toMatchObject({
      code: 'connection-lost',
      retryable: true,
    });
  });
});

describe('failures', () => {
  test('name the URL without its secrets', async () => {
    const http = createHttpClient({ retry: quick });
    closing.push(() => http.close());
    const failure = http.send({ method: 'GET', url: 'http://user:hush@127.0.0.1:1/path?token=hush' });
    await expect(failure).rejects.toMatchObject({
      code: 'connect-failed',
      message: 'GET http://127.0.0.1:1/path: the connection was refused',
    });
  });

  test.each(['hello', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc'])(
    'an answer that is not HTTP is no failed connection: %j',
    async (answer) => {
      const { http, url } = await setUp(({ socket }) => void socket.end(answer));
      await expect(http.send({ method: 'GET', url })).rejects.toMatchObject({
        code: 'invalid-answer',
        message: `GET ${url}/: the answer is not HTTP`,
      });
    },
  );

  test('a late answer is ended by the time limit', async () => {
    const { http, url } = await setUp(() => {}, { headersTimeoutMs: 100 });
    await expect(http.send({ method: 'GET', url })).rejects.toMatchObject({
      code: 'timeout',
      retryable: true,
    });
  });

  test('an answer that arrives slowly is ended by the time limit', async () => {
    const { http, url } = await setUp(
      (_request, response) => {
        const timer = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(timer));
      },
      { totalTimeoutMs: 200 },
    );
    await expect(http.send({ method: 'GET', url })).rejects.toMatchObject({ code: 'timeout' });
  });

  test('an abort ends the request, and the wait for another attempt', async () => {
    const { http, url } = await setUp(
      (request, response) => {
        if (request.url === '/busy') response.writeHead(503, { 'retry-after': '5' }).end();
      },
      { retry: { attempts: 3, baseMs: 1, longestWaitMs: 10_000 } },
    );
    for (const path of ['/hang', '/busy']) {
      const failure = http.send({ method: 'GET', url: url + path, signal: AbortSignal.timeout(50) });
      await expect(failure).rejects.toMatchObject({ code: 'aborted', retryable: false });
    }
  });

  test('only http and https are called', async () => {
    const http = createHttpClient();
    closing.push(() => http.close());
    for (const url of ['file:///etc/hosts', 'nowhere', 'javascript:1']) {
      await expect(http.send({ method: 'GET', url })).rejects.toMatchObject({ code: 'invalid-url' });
    }
  });
});

describe('the address guard', () => {
  test('refuses addresses that are not public, given or resolved', async () => {
    let calls = 0;
    const { http, url } = await setUp(
      (_request, response) => {
        calls += 1;
        response.end();
      },
      { guard: publicAddressesOnly() },
    );
    const { port } = new URL(url);
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]']) {
      const failure = http.send({ method: 'GET', url: `http://${host}:${port}/` });
      await expect(failure, host).rejects.toMatchObject({ code: 'address-refused', retryable: false });
    }
    expect(calls).toBe(0);
  });

  test('accepts allowed addresses', async () => {
    const { http, url } = await setUp((_request, response) => void response.end('in'), {
      guard: publicAddressesOnly(['127.0.0.0/8']),
    });
    expect((await http.send({ method: 'GET', url })).body.toString()).toBe('in');
  });

  test.each([
    ['10.1.2.3', false],
    ['100.100.100.200', false],
    ['169.254.169.254', false],
    ['172.31.0.1', false],
    ['192.168.0.1', false],
    ['fd00:ec2::254', false],
    ['fe80::1%eth0', false],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::a00:1', false],
    ['8.8.8.8', true],
    ['172.32.0.1', true],
    ['2606:4700::1111', true],
  ])('%s: %s', (address, allowed) => {
    expect(publicAddressesOnly()(address, 'example.org')).toBe(allowed);
    expect(publicAddressesOnly(['example.org'])(address, 'example.org')).toBe(true);
  });
});

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'])(
  '%s passes, so that the request is repeated',
  (code) => {
    const error = toHttpError(
      Object.assign(new Error(`connect ${code}`), { code }),
      'GET',
      'http://a.test/b',
    );
    expect(error).toMatchObject({ code: 'connect-failed', retryable: true });
    expect(error.message).toContain(code);
  },
);
