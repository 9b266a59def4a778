import { Refusal } from '../api/problem.ts';

/** Sent with a refusal of a body that was not read to its end. */
const CLOSE = { connection: 'close' };

/**
 * Receives bodies of callers who are not known yet: each of at most `maxBytes`, and all that are being received together of at most
 * `maxTotal`. A body takes the room that it has filled, so that slow ones keep nobody else out. `read` throws `Refusal` (413, 503).
 */
export function createBodyRoom({
  maxBytes,
  maxTotal,
}: {
  readonly maxBytes: number;
  readonly maxTotal: number;
}) {
  let total = 0;
  return {
    /** `announced`: the length that the caller states, in bytes. */
    async read(body: AsyncIterable<Buffer>, announced = 0): Promise<Buffer> {
      const parts: Buffer[] = [];
      let length = 0;
      if (announced > maxBytes) throw tooLarge(maxBytes);
      try {
        for await (const part of body) {
          length += part.length;
          total += part.length;
          if (length > maxBytes) throw tooLarge(maxBytes);
          if (total > maxTotal)
            throw new Refusal(503, 'too-many-bodies', 'too many webhooks are being received', {
              headers: { ...CLOSE, 'retry-after': '5' },
            });
          parts.push(part);
        }
        return Buffer.concat(parts);
      } finally {
        total -= length;
      }
    },
  };
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'body-too-large', `a webhook has at most ${maxBytes} bytes`, { headers: CLOSE });
}
