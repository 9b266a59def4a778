import { open, rm } from 'node:fs/promises';
import type { HttpClient } from '../http/client.ts';
import { printableUrl } from '../http/errors.ts';
import { getFollowing } from '../http/redirects.ts';
import { messageOf } from '../model/errors.ts';
import { AdvisoryError } from './errors.ts';

/** Bytes of one request: the client keeps an answer in memory. */
const PART_BYTES = 16_777_216;
/** The largest file of OSV has 400 MB. */
const MAX_BYTES = 4_294_967_296;

/**
 * Reads a URL into a file, part by part (RFC 9110, "Range Requests"); a server without ranges answers all at once, within the limit of
 * the client. Throws `AdvisoryError` (`unavailable`, `too-large`), also when the file at the URL changes meanwhile, and the reason of
 * the signal. What is incomplete is removed.
 */
export async function download(
  url: string,
  path: string,
  { http, signal }: { readonly http: HttpClient; readonly signal: AbortSignal },
): Promise<void> {
  const what = printableUrl(url);
  const file = await open(path, 'w');
  let isComplete = false;
  try {
    let etag: string | undefined;
    for (let at = 0, total = Number.POSITIVE_INFINITY; at < total; ) {
      const headers = {
        'accept-encoding': 'identity',
        range: `bytes=${at}-${at + PART_BYTES - 1}`,
        ...(etag === undefined ? {} : { 'if-range': etag }),
      };
      const {
        status,
        body,
        headers: answered,
      } = await getFollowing(http, url, { signal, headersFor: () => headers }).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new AdvisoryError('unavailable', `${what}: ${messageOf(cause)}`, { cause });
      });
      if (status === 200 && at === 0) total = body.length;
      else if (status === 206) total = totalOf(answered['content-range']) ?? at + body.length;
      else
        throw new AdvisoryError(
          'unavailable',
          `${what}: HTTP ${status}${at === 0 ? '' : ` after ${at} bytes`}`,
        );
      if (total > MAX_BYTES)
        throw new AdvisoryError('too-large', `${what}: ${total} bytes (limit: ${MAX_BYTES})`);
      if (body.length === 0)
        throw new AdvisoryError('unavailable', `${what}: an empty answer after ${at} bytes`);
      etag ??= answered['etag'];
      await file.write(body);
      at += body.length;
    }
    isComplete = true;
  } finally {
    await file.close();
    if (!isComplete) await rm(path, { force: true });
  }
}

function totalOf(contentRange = ''): number | undefined {
  const total = /\/(\d+)$/.exec(contentRange)?.[1];
  return total === undefined ? undefined : Number(total);
}
