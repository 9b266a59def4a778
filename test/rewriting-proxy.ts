import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to the answers of a service on their way. */
export type Rewrite = (answer: unknown, path: string) => unknown;

/** Answers a request in place of the service, or returns `false` to let it pass. */
export type Respond = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** A service as a worker sees it through a proxy that changes its answers. */
export interface RewritingProxy {
  readonly url: string;
  /** Requests so far. */
  requests(): number;
  /** Changes the JSON of answers from now on; `undefined` passes them on as they are. */
  rewrite(change: Rewrite | undefined): void;
  /** Has requests answered in another way from now on. */
  respond(respond: Respond | undefined): void;
  /** Closes connections without an answer. */
  drop(isDropping: boolean): void;
  close(): Promise<void>;
}

/** Starts a proxy on loopback before the service at `target`. */
export async function startRewritingProxy(target: string): Promise<RewritingProxy> {
  let change: Rewrite | undefined;
  let respond: Respond | undefined;
  let isDropping = false;
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    if (isDropping) return void incoming.socket.destroy();
    if (respond?.(incoming, outgoing)) return;
    const path = incoming.url ?? '/';
    const { host: _host, ...headers } = incoming.headers;
    const options = { method: incoming.method, headers: { ...headers, 'accept-encoding': 'identity' } };
    const passed = forward(new URL(path, target), options, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const body = rewritten(Buffer.concat(parts), path, answer.statusCode === 200 ? change : undefined);
        const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, { ...rest, 'content-length': body.length }).end(body);
      });
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    rewrite(next) {
      change = next;
    },
    respond(next) {
      respond = next;
    },
    drop(next) {
      isDropping = next;
      if (next) server.closeAllConnections();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A rewrite that replaces the value of every field of a name, at any depth. */
export function withField(name: string, value: unknown): Rewrite {
  return (answer) =>
    JSON.parse(JSON.stringify(answer), (key, before) => (key === name ? value : before)) as unknown;
}

function rewritten(body: Buffer, path: string, change: Rewrite | undefined): Buffer {
  if (change === undefined) return body;
  return Buffer.from(JSON.stringify(change(JSON.parse(body.toString('utf8')), path)));
}
