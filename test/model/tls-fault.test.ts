import { once } from 'node:events';
import { createServer as createTcpServer, type Server } from 'node:net';
import { type ConnectionOptions, connect, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../src/model/errors.ts';
import { tlsFault } from '../../src/model/tls-fault.ts';
import { SELF_SIGNED } from '../http/self-signed.ts';

describe('why there is no TLS connection', () => {
  const secure = createServer(SELF_SIGNED);
  const old = createServer({ ...SELF_SIGNED, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' });
  const plain = createTcpServer((socket) => socket.on('error', () => {}).end('220 mail.example\r\n'));
  const servers: readonly Server[] = [secure, old, plain];
  beforeAll(async () => {
    for (const server of servers) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  /** The error of a connection to one of the servers. */
  async function fault(server: Server, options: ConnectionOptions = {}): Promise<unknown> {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
    const socket = connect({ host: '127.0.0.1', port: address.port, servername: 'localhost', ...options });
    const [error] = await once(socket, 'error');
    socket.destroy();
    return error;
  }

  it('is an authority that is not trusted', async () => {
    expect(tlsFault(await fault(secure))).toBe(
      'no authority that is trusted here signed its certificate; NODE_EXTRA_CA_CERTS names the file of a private one',
    );
  });

  it('is a certificate for another name', async () => {
    const error = await fault(secure, { ca: SELF_SIGNED.cert, servername: 'insights.example' });
    expect(tlsFault(error)).toBe(
      'its certificate is for DNS:localhost, IP Address:127.0.0.1, and not for insights.example',
    );
  });

  it('is a server without TLS', async () => {
    expect(tlsFault(await fault(plain))).toBe('it does not answer with TLS');
  });

  it('is a code where nothing better is known', async () => {
    const error = await fault(old, { ca: SELF_SIGNED.cert, minVersion: 'TLSv1.3' });
    expect(tlsFault(error), messageOf(error)).toBe('it accepts no version of TLS from 1.2 on');
    const unknown = Object.assign(new Error('0:error:…'), { code: 'ERR_SSL_SOMETHING' });
    expect(tlsFault(unknown)).toBe('there is no TLS connection to it (ERR_SSL_SOMETHING)');
  });

  it('is no reason for other errors', () => {
    expect(tlsFault(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBeUndefined();
    expect(tlsFault(new Error('any'))).toBeUndefined();
    expect(tlsFault(undefined)).toBeUndefined();
  });
});
