import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectRedis } from '../../src/store/redis/connection.ts';
import { bareEnvironment } from '../bare-environment.ts';
import { lockhound } from '../cli/lockhound.ts';
import { MAIN } from '../prepare.ts';

/*
 * Redis with TLS, as the command line reaches it. Node reads NODE_EXTRA_CA_CERTS when it starts, so a process of its own shows that it
 * helps. For what is refused this process trusts the authority.
 */
const PASSWORD = 'pass-7c2e';
const has = (program: string, ...args: readonly string[]) => spawnSync(program, [...args]).status === 0;
const native = has('redis-server', '--version') && has('openssl', 'version');

describe.skipIf(!native)('a Redis with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  const stops: (() => Promise<unknown>)[] = [];
  const ports = new Map<string, number>();
  const file = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync('openssl', [...args], { cwd: folder });
    if (status !== 0) throw new Error(stderr.toString());
  };
  const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

  function certificate(name: string, authority: string, names: string, days: string): void {
    writeFileSync(file(`${name}.ext`), `subjectAltName=${names}`);
    openssl('req', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const signed = ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
    const written = ['-out', `${name}.crt`, '-days', days, '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signed, ...written);
  }

  async function start(name: string, secure: boolean): Promise<void> {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');
    const listening = secure
      ? ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no']
      : ['--port', String(port)];
    const own = secure ? ['--tls-cert-file', `${name}.crt`, '--tls-key-file', `${name}.key`] : [];
    const args = [...listening, ...own, '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD];
    const child = spawn('redis-server', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'close');
    stops.push(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    for await (const line of createInterface({ input: child.stdout }))
      if (/Ready to accept/.test(line)) break;
    ports.set(name, port);
  }

  beforeAll(async () => {
    for (const name of ['own', 'other']) {
      openssl(
        'req',
        '-x509',
        ...KEY,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.crt`,
        '-subj',
        `/CN=${name}`,
      );
    }
    const here = 'DNS:localhost,IP:127.0.0.1';
    certificate('good', 'own', here, '2');
    certificate('expired', 'own', here, '-1');
    certificate('elsewhere', 'own', 'DNS:redis.example', '2');
    certificate('foreign', 'other', here, '2');
    for (const name of ['good', 'expired', 'elsewhere', 'foreign']) await start(name, true);
    await start('plain', false);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    rmSync(folder, { recursive: true });
  });

  /** What `lockhound scans` prints. */
  async function reach(url: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const env = { ...bareEnvironment(), HOME: folder, LOCKHOUND_REDIS_URL: url, ...more };
    return await new Promise((resolve) => {
      execFile(process.execPath, [MAIN, 'scans', 'list'], { cwd: folder, env }, (_error, out, errors) =>
        resolve(out + errors),
      );
    });
  }
  const url = (name: string, host = 'localhost', scheme = 'rediss') =>
    `${scheme}://:${PASSWORD}@${host}:${ports.get(name)}`;

  it('of a private authority is reached when that is named', async () => {
    expect(await reach(url('good'), { NODE_EXTRA_CA_CERTS: file('own.crt') })).toBe('scans  none\n');
    const unknown = await reach(url('good'), { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(unknown).toContain('no secure connection');
    expect(unknown).toContain('NODE_EXTRA_CA_CERTS');
  });

  describe('in a process that trusts the private authority', () => {
    const authorities = getCACertificates('default');
    beforeAll(() => {
      setDefaultCACertificates([...authorities, readFileSync(file('own.crt'), 'utf8')]);
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      vi.stubEnv('TLS_PASSWORD', PASSWORD);
    });
    afterAll(() => {
      vi.unstubAllEnvs();
      setDefaultCACertificates(authorities);
    });

    async function reachHere(address: string): Promise<string> {
      const config = join(mkdtempSync(file('config-')), 'lockhound.yaml');
      const bare = address.replace(`:${PASSWORD}@`, '');
      writeFileSync(config, `redis: { url: "${bare}", password: { env: TLS_PASSWORD } }\n`);
      const { out, note } = await lockhound(['scans', 'list', '--config', config]);
      return out + note;
    }

    it.each(['localhost', '127.0.0.1'])('is reached at %s', async (host) => {
      expect(await reachHere(url('good', host))).toBe('scans  none\n');
    });

    // The record of an alert (`decode_error`), as a server or anything between sends it.
    const ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 50]);
    it.concurrent.each<[string, number, (socket: Socket) => void]>([
      ['an alert in place of its greeting', 0, (socket) => socket.write(ALERT)],
      ['an alert after its greeting', 1, (socket) => socket.write(ALERT)],
      ['two alerts', 1, (socket) => socket.write(ALERT, () => socket.write(ALERT))],
      ['an alert and a reset', 1, (socket) => socket.write(ALERT, () => socket.resetAndDestroy())],
      ['another protocol', 1, (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
      ['an alert to a connection in use', 2, (socket) => socket.write(ALERT)],
      ['a reset of a connection in use', 2, (socket) => socket.resetAndDestroy()],
    ])('does not end the process with %s', async (_what, chunks, damage) => {
      const uncaught: unknown[] = [];
      const note = (error: unknown): void => void uncaught.push(error);
      process.on('uncaughtException', note);
      const relay = createServer((client) => {
        const server = connect(Number(ports.get('good')), '127.0.0.1');
        let left = chunks;
        const pass = (chunk: Buffer): void => {
          if (left > 0) client.write(chunk);
          if (left === Math.min(chunks, 1)) damage(client);
          left -= 1;
        };
        client.on('data', (chunk) => (chunks === 0 ? pass(chunk) : server.write(chunk)));
        server.on('data', pass);
        client.on('error', () => {}).on('close', () => server.destroy());
        server.on('error', () => {}).on('close', () => client.destroy());
      });
      await once(relay.listen(0), 'listening');
      const { port } = relay.address() as AddressInfo;
      const ways = [
        'rediss://localhost:P',
        'rediss://localhost:P?cluster=true',
        'rediss+sentinel://localhost:P/main',
      ];
      const clients = ways.map((way) =>
        connectRedis({ urls: way.replace('P', String(port)), timeoutMs: 500 }),
      );
      for (const { status } of await Promise.allSettled(clients)) expect(status).toBe('rejected');
      relay.close();
      await once(relay, 'close');
      process.off('uncaughtException', note);
      expect(uncaught).toEqual([]);
    });

    it.concurrent.each([
      ['expired', 'its certificate has expired'],
      ['elsewhere', 'its certificate is for DNS:[^ ]+, and not for (?:localhost|127)'],
      ['foreign', 'no authority that is trusted here signed its certificate'],
      ['plain', 'it does not answer with TLS'],
    ])('is refused with a certificate that is %s', async (name, reason) => {
      const ways = [
        url(name),
        `${url(name)}?cluster=true`,
        `${url(name, 'localhost', 'rediss+sentinel')}/main`,
      ];
      for (const said of await Promise.all(ways.map(reachHere))) {
        expect(said).toContain('no secure connection');
        expect(said).toMatch(new RegExp(reason));
        expect(said).not.toContain(PASSWORD);
      }
    });
  });
});
