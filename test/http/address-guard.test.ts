import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { publicAddressesOnly } from '../../src/http/address-guard.ts';
import { createHttpClient, type HttpClientOptions } from '../../src/http/undici-client.ts';
import { SELF_SIGNED } from './self-signed.ts';
import { startTestServer } from './test-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});

function client(options: HttpClientOptions) {
  const http = createHttpClient({ retry: { attempts: 1, baseMs: 1, longestWaitMs: 1 }, ...options });
  closing.push(() => http.close());
  return http;
}

async function server() {
  const connections: Socket[] = [];
  const started = await startTestServer((request, response) => {
    connections.push(request.socket);
    response.setHeader('connection', 'close').end('in');
  });
  closing.push(started.close);
  return { connections, port: new URL(started.url).port };
}

describe('addresses that may not be called', () => {
  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254'],
    ...['169.254.169.254', '169.254.0.1', '172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1'],
    ...['192.88.99.1', '192.168.255.255', '198.18.0.1', '198.19.255.255', '198.51.100.9', '203.0.113.9'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16', '100.100.100.200'],
    ...['::', '::1', '::127.0.0.1', '::a00:1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
    ...['::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::808:808', '64:ff9b:1::a00:1', '2002:7f00:1::'],
    ...['2002:808:808::1', '2001:0:1::1', '2001:10::1', '2001:db8::1', '100::1', '100:0:0:1::1', '3fff::1'],
    ...['5f00::1', 'fc00::1', 'fd00:ec2::254', 'fdff::1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1'],
    ...['ff02::1', 'ff0e::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:ffff:7f00:0001'],
  ])('%s', (address) => {
    expect(publicAddressesOnly()(address, 'example.org')).toBe(false);
  });

  it.each([
    ...[
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
    ],
    ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255'],
    ...[
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2606:4700::1111',
      '2001:4860:4860::8888',
      '2003::1',
    ],
    ...['2a00:1450:4001::1', 'fbff::1'],
  ])('%s may', (address) => {
    expect(publicAddressesOnly()(address, 'example.org')).toBe(true);
  });
});

describe('a URL', () => {
  it.each([
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '0', '0x0'],
    ...[
      '127.0.0.1.',
      '%31%32%37.0.0.1',
      '１２７.０.０.１',
      '127。0。0。1',
      '①②⑦.0.0.1',
      'localhost',
      'LOCALHOST',
    ],
    ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
  ])('to %s is refused', async (host) => {
    const { connections, port } = await server();
    const http = client({ guard: publicAddressesOnly() });
    const sent = http.send({ method: 'POST', url: `http://${host}:${port}/`, body: '{}' });
    await expect(sent).rejects.toMatchObject({ code: 'address-refused', retryable: false });
    expect(connections).toEqual([]);
  });

  it('is checked for each connection, on the address of that connection', async () => {
    const { connections, port } = await server();
    const asked: string[] = [];
    // The guard refuses the address after the first connection.
    const http = client({
      guard: (address) => {
        asked.push(address);
        return connections.length === 0;
      },
    });
    const url = `http://localhost:${port}/`;
    expect((await http.send({ method: 'GET', url })).status).toBe(200);
    expect(asked).toContain('127.0.0.1');
    const known = asked.length;
    await expect(http.send({ method: 'GET', url })).rejects.toMatchObject({ code: 'address-refused' });
    expect(asked.length).toBeGreaterThan(known);
    expect(connections).toHaveLength(1);
  });
});

describe('the allow list', () => {
  const opens = (entry: string, address: string, host = address) =>
    publicAddressesOnly([entry])(address, host);

  it('allows addresses and ranges', () => {
    expect(opens('10.1.0.0/16', '10.1.2.3')).toBe(true);
    expect(opens('10.1.0.0/16', '10.2.2.3')).toBe(false);
    expect(opens('10.1.2.3', '10.1.2.3')).toBe(true);
    expect(opens('10.1.2.3', '10.1.2.4')).toBe(false);
    expect(opens('fd00::/8', 'fd12::1')).toBe(true);
    expect(opens('[fd12::1]', 'fd12::1')).toBe(true);
    expect(opens('64:ff9b::/96', '64:ff9b::808:808')).toBe(true);
    expect(opens('0.0.0.0/0', '127.0.0.1')).toBe(true);
  });

  it('allows hosts by their full name, for any address', () => {
    expect(opens('hooks.corp.example', '10.1.2.3', 'hooks.corp.example')).toBe(true);
    expect(opens('Hooks.Corp.example.', '10.1.2.3', 'hooks.corp.example.')).toBe(true);
    expect(opens('bücher.example', '10.1.2.3', 'xn--bcher-kva.example')).toBe(true);
    expect(opens('corp.example', '10.1.2.3', 'hooks.corp.example')).toBe(false);
    expect(opens('hooks.corp.example', '10.1.2.3', 'hooks.corp.example.evil.example')).toBe(false);
  });

  it('allows all hosts below a domain with `*.`', () => {
    expect(opens('*.corp.example', '10.1.2.3', 'hooks.corp.example')).toBe(true);
    expect(opens('*.corp.example', '10.1.2.3', 'a.b.corp.example')).toBe(true);
    expect(opens('*.corp.example', '10.1.2.3', 'corp.example')).toBe(false);
    expect(opens('*.corp.example', '10.1.2.3', 'evilcorp.example')).toBe(false);
  });

  it.each([
    ...['10/8', '10.0.0/8', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/1e1', 'fd00::/129', '10.1'],
    ...[
      'http://hooks.example',
      'hooks.example:8080',
      'hooks.example/path',
      'two hosts',
      '',
      '*',
      'fe80::1%eth0',
    ],
  ])('refuses %j, which allows nothing or another host', (entry) => {
    expect(() => publicAddressesOnly([entry])).toThrow(expect.objectContaining({ code: 'invalid-url' }));
  });
});

describe('TLS', () => {
  it.each([['with a guard', { guard: () => true }] as const, ['without one', {}] as const])(
    'is verified %s, regardless of the environment',
    async (_which, options) => {
      let asked = 0;
      const secure = createServer(SELF_SIGNED, (_request, response) => {
        asked += 1;
        response.end();
      });
      await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
      closing.push(() => new Promise((resolve) => secure.close(resolve)));
      const { port } = secure.address() as AddressInfo;
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      const sent = client(options).send({ method: 'POST', url: `https://localhost:${port}/`, body: '{}' });
      await expect(sent).rejects.toMatchObject({
        code: 'connect-failed',
        message: expect.stringContaining('no authority that is trusted here signed its certificate'),
      });
      expect(asked).toBe(0);
      // The server works for clients that do not verify certificates.
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const plain = httpsRequest({ host: 'localhost', port, rejectUnauthorized: false, agent: false });
        plain
          .on('response', ({ statusCode }) => resolve(statusCode))
          .on('error', reject)
          .end();
      });
      expect(status).toBe(200);
    },
  );
});
