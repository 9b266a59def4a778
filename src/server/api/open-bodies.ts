import { Transform } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Refusal } from './problem.ts';

/**
 * Limits the bodies whose requests are not answered yet to `maxTotal` bytes together, so that callers who send large ones at the same time do
 * not use up the memory. Returns a function that creates a stream for the body of a request: it ends with `Refusal` (503) when there is no
 * room. A body takes the room that it has filled.
 */
export function createOpenBodies(maxTotal: number) {
  let total = 0;
  return ({ raw }: Pick<FastifyReply, 'raw'>): Transform => {
    let length = 0;
    raw.once('close', () => {
      total -= length;
    });
    const counted = new Transform({
      transform(part: Buffer, _encoding, done) {
        // What comes after the answer is not kept.
        if (raw.closed) return done();
        if (total + part.length > maxTotal) return done(noRoom());
        length += part.length;
        total += part.length;
        done(null, part);
      },
    });
    // Whoever reads it stops to listen when it has refused the body.
    counted.on('error', () => {});
    return counted;
  };
}

function noRoom(): Refusal {
  const detail = 'too many large bodies are being received: try again in a moment';
  return new Refusal(503, 'too-many-bodies', detail, { retryAfter: 5 });
}
