import { Transform } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../../operations/refusal.ts';

export interface OpenBodyLimits {
  /** Bytes of all bodies whose requests are not answered yet. */
  readonly maxTotal: number;
  /** Time for one body, in milliseconds. Default: that of a request. */
  readonly maxMs?: number;
}

interface OpenBody {
  readonly holder: string;
  readonly stream: Transform;
  /** Its length as its sender states it. */
  readonly announced: number;
  length: number;
  isReceived: boolean;
}

/** Creates a stream for the body of a request. `holder`: who sends it. `announced`: its length as stated, in bytes. */
export type OpenBodies = (holder: string, reply: Pick<FastifyReply, 'raw'>, announced?: number) => Transform;

/**
 * Limits the bodies whose requests are not answered yet, so that callers who send large ones at the same time do not use up the memory.
 * A body takes the room that it has filled. When there is no more, the holder of most room loses its largest body that is still being
 * received (`Refusal` 503), and of equal ones the last: slow and large bodies never keep out others.
 */
export function createOpenBodies({ maxTotal, maxMs }: OpenBodyLimits): OpenBodies {
  const open = new Set<OpenBody>();
  let total = 0;
  const close = (body: OpenBody): void => {
    if (open.delete(body)) total -= body.length;
  };
  const end = (body: OpenBody, why: Refusal): void => {
    close(body);
    body.stream.destroy(why);
  };
  /** Ends bodies until `part` more bytes of `body` have room. Returns false when `body` itself was ended. */
  const makeRoom = (body: OpenBody, part: number): boolean => {
    while (total + part > maxTotal && open.has(body)) end(largestOfLargestHolder(open, body, part), noRoom());
    return open.has(body);
  };
  return (holder, { raw }, announced = 0) => {
    const stream = new Transform({
      transform(part: Buffer, _encoding, done) {
        // What comes after the answer is not kept.
        if (raw.closed || !open.has(body) || !makeRoom(body, part.length)) return done();
        body.length += part.length;
        total += part.length;
        done(null, part);
      },
      flush(done) {
        body.isReceived = true;
        clearTimeout(late);
        done();
      },
    });
    const body: OpenBody = { holder, stream, announced, length: 0, isReceived: false };
    open.add(body);
    const late = maxMs === undefined ? undefined : setTimeout(() => end(body, tooSlow(maxMs)), maxMs).unref();
    raw.once('close', () => {
      clearTimeout(late);
      close(body);
    });
    // Whoever reads it stops to listen when it has refused the body.
    stream.on('error', () => {});
    return stream;
  };
}

/** `part`: bytes that `next` needs and does not have yet. */
function largestOfLargestHolder(open: ReadonlySet<OpenBody>, next: OpenBody, part: number): OpenBody {
  const lengthOf = (body: OpenBody): number => body.length + (body === next ? part : 0);
  const sizeOf = (body: OpenBody): number => Math.max(body.announced, lengthOf(body));
  const held = new Map<string, number>();
  for (const body of open) held.set(body.holder, (held.get(body.holder) ?? 0) + lengthOf(body));
  let found = next;
  for (const body of open) {
    if (body.isReceived) continue;
    const [own, other] = [held.get(body.holder) ?? 0, held.get(found.holder) ?? 0];
    if (own > other || (own === other && sizeOf(body) > sizeOf(found))) found = body;
  }
  return found;
}

/** The rest of the body is not read: the connection is of no more use. */
const CLOSE = { connection: 'close' };

function noRoom(): Refusal {
  const detail = 'too many large bodies are being received: try again in a moment';
  return new Refusal(503, 'too-many-bodies', detail, { headers: { ...CLOSE, 'retry-after': '5' } });
}

function tooSlow(maxMs: number): Refusal {
  return new Refusal(408, 'body-too-slow', `the body did not arrive within ${maxMs / 1_000} s`, {
    headers: CLOSE,
  });
}
