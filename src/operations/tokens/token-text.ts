import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new token: the text that its owner keeps, and what is stored. */
export function createTokenText(): { readonly id: string; readonly text: string; readonly hash: string } {
  const id = randomBytes(6).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, text: `lockhound_${id}_${secret}`, hash: hashOf(secret) };
}

/** Id and secret of the text of a token; `undefined` for any other text. */
export function parseTokenText(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = /^lockhound_([0-9a-f]{12})_([\w-]{43})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Compared with when there is no such token, so that the time of an answer does not tell whether an id exists. */
const NO_HASH = hashOf(randomBytes(32).toString('base64url'));

/** Whether a secret has this hash, in constant time. `hash` is absent when there is no such token. */
export function fitsHash(secret: string, hash: string | undefined): boolean {
  const fits = timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), Buffer.from(hash ?? NO_HASH, 'hex'));
  return fits && hash !== undefined;
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
