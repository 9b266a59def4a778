import { once } from 'node:events';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { protocolFault } from '../../src/commands/doctor/redis-protocol.ts';
import { SELF_SIGNED } from '../http/self-signed.ts';

/** What is wrong with a connection to a server. */
async function faultOf(server: Server, isTls: boolean): Promise<string | undefined> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await protocolFault({ host: '127.0.0.1', port, isTls });
  } finally {
    server.close();
  }
}

const answering = (answer: string) =>
  createPlainServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(answer));
  });
const encrypted = () =>
  createTlsServer(SELF_SIGNED, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('-NOAUTH Authentication required.\r\n'));
  }).on('tlsClientError', () => {});

describe('a port on which Redis does not answer as configured', () => {
  it.each(['+PONG\r\n', '-NOAUTH Authentication required.\r\n'])('has no TLS: %j', async (answer) => {
    expect(await faultOf(answering(answer), true)).toContain('use `redis://`');
    expect(await faultOf(answering(answer), false)).toBeUndefined();
  });

  it('has TLS', async () => {
    expect(await faultOf(encrypted(), false)).toContain('use `rediss://`');
    expect(await faultOf(encrypted(), true)).toBeUndefined();
  });

  it('is one of another service', async () => {
    expect(await faultOf(createWebServer(), false)).toBe('What answers there is not Redis');
  });

  it('is closed', async () => {
    expect(await protocolFault({ host: '127.0.0.1', port: 1, isTls: true })).toBeUndefined();
    expect(await protocolFault({ host: '127.0.0.1', port: 1, isTls: false })).toBeUndefined();
  });
});
