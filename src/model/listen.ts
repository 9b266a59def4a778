import { once } from 'node:events';
import { createServer } from 'node:net';
import { CodedError, messageOf } from './errors.ts';

/** A server of this process cannot listen: the port is in use, or the process may not use it. */
export class ListenError extends CodedError<'cannot-listen'> {}

interface Place {
  readonly host: string;
  readonly port: number;
}

interface Server {
  listen(place: Place): Promise<string>;
}

/** Starts listening and returns the URL. `what` begins the message. Throws `ListenError`. */
export async function listen(server: Server, what: string, { host, port }: Place): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    throw listenError(what, { host, port }, error);
  }
}

/** Checks that a server could listen now. Throws `ListenError`. */
export async function requireFreePort(what: string, place: Place): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(place), 'listening');
  } catch (error) {
    throw listenError(what, place, error);
  }
  server.close();
}

function listenError(what: string, { host, port }: Place, cause: unknown): ListenError {
  return new ListenError(
    'cannot-listen',
    `${what} could not listen on ${host}:${port}: ${messageOf(cause)}. Choose another port, or stop the process that uses it.`,
    { cause },
  );
}
