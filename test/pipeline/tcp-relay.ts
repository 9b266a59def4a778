import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A loopback address that leads to a port that can be changed. */
export interface TcpRelay {
  readonly port: number;
  /** New connections go to this port; existing ones stay, unless `cut`. */
  pointTo(port: number, options?: { readonly cut: boolean }): void;
  /** Delays data from the other side, as on a slow connection. Delayed data is lost with the connection. */
  hold(): void;
  close(): Promise<void>;
}

export async function startTcpRelay(port: number): Promise<TcpRelay> {
  let target = port;
  let held = false;
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (!held) client.write(chunk);
    });
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    pointTo(next, options) {
      target = next;
      held = false;
      if (options?.cut === true) cut();
    },
    hold() {
      held = true;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
