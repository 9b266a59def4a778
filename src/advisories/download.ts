import { open, rm } from 'node:fs/promises';
import { printableUrl } from '../http/errors.ts';
import { AdvisoryError } from './errors.ts';
import { type RequestOptions, requestPart, unavailable } from './request.ts';

/** Bytes of one request: the client keeps an answer in memory. */
const PART_BYTES = 16_777_216;
/** The largest file of OSV has 400 MB. */
const MAX_BYTES = 4_294_967_296;

/**
 * Reads a URL into a file, part by part; a server without ranges answers all at once, within the limit of
 * the client. Throws `AdvisoryError` (`unavailable`, `too-large`), also when the file at the URL changes meanwhile, and the reason of
 * the signal. What is incomplete is removed.
 */
export async function download(url: string, path: string, options: RequestOptions): Promise<void> {
  const file = await open(path, 'w');
  let isComplete = false;
  try {
    let etag: string | undefined;
    for (let at = 0, total = Number.POSITIVE_INFINITY; at < total; ) {
      const condition: Record<string, string> = etag === undefined ? {} : { 'if-range': etag };
      const part = { from: at, bytes: PART_BYTES };
      const { status, body, headers } = await requestPart(url, part, condition, options);
      if (status === 200 && at === 0) total = body.length;
      else if (status === 206) total = totalOf(headers['content-range']) ?? at + body.length;
      else throw unavailable(url, `HTTP ${status}${at === 0 ? '' : ` after ${at} bytes`}`);
      if (total > MAX_BYTES)
        throw new AdvisoryError('too-large', `${printableUrl(url)}: ${total} bytes (limit: ${MAX_BYTES})`);
      if (body.length === 0) throw unavailable(url, `an empty answer after ${at} bytes`);
      etag ??= headers['etag'];
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
