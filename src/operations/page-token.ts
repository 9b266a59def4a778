import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from './refusal.ts';

/** Page tokens: a place in a sorted list, and the question that it belongs to. They hold no rights. */
export interface PageTokens {
  /** `question`: what decides the list: method, parameters and scope of the caller. `place`: a JSON value. */
  create(question: string, place: unknown): string;
  /** The place. Throws `Refusal` for a token that was changed, belongs to another question, or was created with another key. */
  read(question: string, token: string): unknown;
}

/** `key`: all servers behind one address need the same. */
export function createPageTokens(key: Buffer): PageTokens {
  const sign = (question: string, text: string): Buffer =>
    createHmac('sha256', key).update(question).update('\0').update(text).digest().subarray(0, MAC_BYTES);
  return {
    create(question, place) {
      const text = Buffer.from(JSON.stringify(place)).toString('base64url');
      return `${text}.${sign(question, text).toString('base64url')}`;
    },
    read(question, token) {
      const [text = '', mac = ''] = token.split('.');
      const given = Buffer.from(mac, 'base64url');
      if (given.length !== MAC_BYTES || !timingSafeEqual(given, sign(question, text))) {
        throw new Refusal(
          400,
          'page-token-invalid',
          'pageToken is not valid for these parameters: begin with the first page',
        );
      }
      return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    },
  };
}

const MAC_BYTES = 16;

/** The parameters that decide a list, as text: the method, its parameters except those of the page, and what the caller may see. */
export function questionOf(method: string, params: object, scope: string): string {
  const {
    pageToken: _token,
    pageSize: _size,
    skip: _skip,
    ...others
  } = params as Readonly<Record<string, unknown>>;
  const sorted = Object.entries(others).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([method, scope, sorted]);
}
