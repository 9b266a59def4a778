import { createHash } from 'node:crypto';
import { isObject, jsonValue } from '../../model/json-object.ts';

/** A page of a batch, or the reason for a refusal. */
export type Page<Entry> =
  | { readonly entries: readonly Entry[]; readonly nextPageToken: string }
  | { readonly refused: string };

const LIMIT = 5_000;

/** Reads the body of a batch request. `null` counts as absent, because clients of the public service send it. */
export function readBatch(
  body: unknown,
): { readonly requests: readonly unknown[]; readonly pageToken: string } | { readonly refused: string } {
  // The caller answers with the service's own error text.
  const parsed = jsonValue(String(body));
  if (!isObject(parsed)) return { refused: 'request body is not a JSON object' };
  const requests = parsed['requests'] ?? [];
  const pageToken = parsed['pageToken'] ?? '';
  if (!Array.isArray(requests)) return { refused: 'requests is not a list' };
  if (requests.length > LIMIT)
    return { refused: `too many requests in batch: ${requests.length} > ${LIMIT}` };
  if (typeof pageToken !== 'string') return { refused: 'pageToken is not a string' };
  return { requests, pageToken };
}

/**
 * Returns the page of a batch that a token names. A token holds the offset and a digest of the requests: it is valid only
 * for the same batch ("Operation rules": all other fields identical to the first request).
 */
export function cutPage<Entry>(
  entries: readonly Entry[],
  digestOf: () => string,
  pageToken: string,
  pageSize: number,
): Page<Entry> {
  let offset = 0;
  if (pageToken !== '') {
    const [start, digest] = Buffer.from(pageToken, 'base64url').toString('latin1').split(' ');
    offset = Number(start);
    if (!Number.isInteger(offset) || offset <= 0 || digest !== digestOf())
      return { refused: 'invalid page token' };
  }
  const end = offset + pageSize;
  return {
    entries: entries.slice(offset, end),
    nextPageToken:
      end < entries.length ? Buffer.from(`${end} ${digestOf()}`, 'latin1').toString('base64url') : '',
  };
}

/** Identifies a batch. */
export function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64').slice(0, 16);
}
