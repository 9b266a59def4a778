import { createHash } from 'node:crypto';
import { isObject, jsonValue } from '../../model/json-object.ts';

/** An error of the service, with its message as plain text (field notes, "Errors are text/plain"). */
export class Refused extends Error {
  readonly status: 400 | 404;

  constructor(status: Refused['status'], message: string) {
    super(message);
    this.status = status;
  }
}

const LIMIT = 5_000;

/** Reads the body of a batch request. `null` counts as absent, because clients of the public service send it. */
export function readBatch(body: unknown): {
  readonly requests: readonly unknown[];
  readonly pageToken: string;
} {
  const parsed = jsonValue(String(body));
  if (!isObject(parsed)) throw new Refused(400, 'request body is not a JSON object');
  const requests = parsed['requests'] ?? [];
  const pageToken = parsed['pageToken'] ?? '';
  if (!Array.isArray(requests)) throw new Refused(400, 'requests is not a list');
  if (requests.length > LIMIT)
    throw new Refused(400, `too many requests in batch: ${requests.length} > ${LIMIT}`);
  if (typeof pageToken !== 'string') throw new Refused(400, 'pageToken is not a string');
  return { requests, pageToken };
}

/**
 * Returns the page of a batch that a token names. A token holds the offset and a digest of the requests: it is valid only
 * for the same batch ("Operation rules": all other fields identical to the first request).
 */
export function cutPage<Entry>(
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
  pageToken: string,
  pageSize: number,
): { readonly page: readonly Entry[]; readonly nextPageToken: string } {
  const digestOf = () =>
    createHash('sha256').update(entries.map(textOf).join('\n')).digest('base64').slice(0, 16);
  const [start = '', digest] = Buffer.from(pageToken, 'base64url').toString('latin1').split(' ');
  const offset = Number(start);
  if (pageToken !== '' && (!Number.isInteger(offset) || offset <= 0 || digest !== digestOf()))
    throw new Refused(400, 'invalid page token');
  const end = offset + pageSize;
  const next =
    end < entries.length ? Buffer.from(`${end} ${digestOf()}`, 'latin1').toString('base64url') : '';
  return { page: entries.slice(offset, end), nextPageToken: next };
}
