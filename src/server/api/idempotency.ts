import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { RawAnswer } from '../../operations/operation.ts';
import type { Principal } from '../../operations/principal.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { ApiAnswerStore } from '../../store/api-answers.ts';
import { SECRET } from './http-operation.ts';
import { MultipartBody } from './multipart.ts';

/** Header with the key of a write. */
const HEADER = 'idempotency-key';

/**
 * Answers a write. With the header `Idempotency-Key` it runs once in 24 hours for each caller and key: a repetition has the same
 * answer. A failed request may be repeated. Throws `Refusal`.
 */
export async function answerOnce(
  store: ApiAnswerStore,
  request: Pick<FastifyRequest, 'headers' | 'method' | 'url' | 'body'>,
  { method, principal }: { readonly method: string; readonly principal: Principal },
  run: () => Promise<RawAnswer>,
): Promise<RawAnswer> {
  const key = request.headers[HEADER];
  if (key === undefined) return await run();
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw new Refusal(
      400,
      'invalid-parameter',
      'Idempotency-Key has to be 1 to 200 characters without spaces',
    );
  }
  if (SECRET.has(method)) {
    throw new Refusal(
      400,
      'key-refused',
      'the answer has a secret, which is never stored: send no Idempotency-Key',
    );
  }
  const hash = hashOf(request);
  const known = await store.begin(principal.identity, key, hash);
  switch (known.kind) {
    case 'different':
      throw new Refusal(422, 'key-used', 'another request had the same Idempotency-Key');
    case 'running':
      throw new Refusal(409, 'key-running', 'the request is being answered', { retryAfter: 1 });
    case 'answered': {
      const { body, ...answer } = known.answer;
      return new RawAnswer(body, { ...answer, headers: { 'idempotency-replayed': 'true' } });
    }
    default:
  }
  try {
    const { status, type, body } = await run();
    await store.answer(principal.identity, key, hash, { status, type, body });
    return new RawAnswer(body, { status, type });
  } catch (error) {
    await store.release(principal.identity, key);
    throw error;
  }
}

function hashOf({ method, url, body }: Pick<FastifyRequest, 'method' | 'url' | 'body'>): string {
  const hash = createHash('sha256').update(JSON.stringify([method, url]));
  return hash
    .update(body instanceof MultipartBody ? body.digest : JSON.stringify(body ?? null))
    .digest('hex');
}
