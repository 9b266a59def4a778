import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A place where something listens, and whether it is configured with TLS. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const LIMIT_MS = 2_000;

/**
 * The fault of a connection on which Redis does not answer: the port has the other protocol, or something else listens there. `undefined`
 * when that is not the reason. Never rejects, and takes 4 s at most.
 */
export async function protocolFault(listener: Listener): Promise<string | undefined> {
  const { host, port, isTls } = listener;
  const answer = await firstAnswer(connectPlain({ host, port }));
  // Redis answers `+PONG`, or refuses an unknown user with `-NOAUTH`.
  if (answer !== undefined && !/^[+-]/.test(answer)) return 'What answers there is not Redis';
  if (isTls) return answer === undefined ? undefined : 'That port has no TLS: use `redis://`';
  if (answer !== undefined) return undefined;
  const name = isIP(host) === 0 ? { servername: host } : {};
  // Only the protocol is asked for: nothing secret is sent.
  const tls = connectTls({ host, port, rejectUnauthorized: false, ...name });
  return (await firstAnswer(tls)) === undefined ? undefined : 'That port has TLS: use `rediss://`';
}

/** The answer to `PING`; `undefined` without an answer in time. */
function firstAnswer(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (answer?: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(LIMIT_MS, end);
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.once('data', (data: Buffer) => end(data.toString('latin1')));
    socket.write('PING\r\n');
  });
}
