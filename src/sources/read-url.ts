import type { HttpClient, HttpResponse } from '../http/client.ts';
import { HttpError, printableUrl } from '../http/errors.ts';
import { getFollowing } from '../http/redirects.ts';
import { detectFormatName, HEAD_BYTES } from '../lockfiles/detect-format.ts';
import { unknownFormat } from '../lockfiles/known-formats.ts';
import { payloadPath } from '../lockfiles/payload-file.ts';
import { defined } from '../model/defined.ts';
import type { SourceReading, SourceRevision, TargetSource } from '../model/watch/source.ts';
import { type CredentialsByName, credentialHeader } from './credentials.ts';
import { SourceError, type SourceErrorCode } from './errors.ts';
import { type PutContent, requireFiles } from './stored-files.ts';

type UrlSource = Extract<TargetSource, { kind: 'url' }>;

interface UrlOptions {
  /** Limits size and time, and checks addresses. It follows no redirects. */
  readonly http: HttpClient;
  readonly credentials: CredentialsByName;
  readonly put: PutContent;
  readonly signal: AbortSignal;
}

/**
 * Reads one lockfile from a URL. Resolves to `unchanged` when the server says that it still is the `known` revision. Throws
 * `SourceError`.
 */
export async function readUrl(
  source: UrlSource,
  known: SourceRevision | undefined,
  options: UrlOptions,
): Promise<SourceReading | 'unchanged'> {
  const what = printableUrl(source.url);
  const response = await follow(source, known, options);
  if (response.status === 304 && known !== undefined) return 'unchanged';
  if (response.status !== 200) throw failure(what, response);
  const path = source.file ?? fileName(source.url);
  const readHead = () => response.body.subarray(0, HEAD_BYTES).toString('utf8');
  const format = await detectFormatName(path, readHead, source.format);
  if (format === undefined) {
    const hint = unknownFormat(path, source.format);
    throw new SourceError('no-lockfiles', `${what}: ${hint}`);
  }
  const { path: name, fault } = payloadPath(path);
  if (fault !== undefined) throw new SourceError('unreadable', `${what}: ${fault.message}`);
  const stored = await options.put(response.body);
  return requireFiles(what, {
    ...revisionOf(response),
    files: [{ path: name, format, ...stored }],
  });
}

/** The answer after all redirects. Credentials are sent to the origin of the source only. */
async function follow(
  source: UrlSource,
  known: SourceRevision | undefined,
  options: UrlOptions,
): Promise<HttpResponse> {
  const { http, signal } = options;
  const headers = (url: URL) => headersFor(source, url, known, options);
  try {
    return await getFollowing(http, source.url, { signal, headersFor: headers });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof HttpError)) throw error;
    throw new SourceError(CODES[error.code] ?? 'failed', error.message, {
      cause: error,
      retryable: error.retryable,
    });
  }
}

function headersFor(
  source: UrlSource,
  url: URL,
  known: SourceRevision | undefined,
  { credentials }: UrlOptions,
): Readonly<Record<string, string>> {
  const own = url.origin === new URL(source.url).origin ? source.credentials : undefined;
  const header = own === undefined ? undefined : credentialHeader(credentials, own, url);
  return {
    // The size limit then applies to what is transferred.
    'accept-encoding': 'identity',
    ...(known?.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known?.lastModified === undefined ? {} : { 'if-modified-since': known.lastModified }),
    ...(header === undefined ? {} : { [header.name]: header.value }),
  };
}

const CODES: Readonly<Partial<Record<HttpError['code'], SourceErrorCode>>> = {
  'address-refused': 'address-refused',
  'connect-failed': 'unreachable',
  'connection-lost': 'unreachable',
  redirected: 'redirected',
  timeout: 'timed-out',
  'too-large': 'too-large',
};

function failure(what: string, { status, retryAfterMs }: HttpResponse): SourceError {
  const message = `${what}: HTTP ${status}`;
  if (status === 404 || status === 410) return new SourceError('not-found', message);
  if (status === 401 || status === 403) return new SourceError('refused', message);
  const retryable = status === 408 || status === 429 || status >= 500;
  // The wait applies to this server alone: it must not pause the queue of all sources.
  const wait = retryAfterMs === undefined ? '' : `, asks to wait for ${Math.round(retryAfterMs / 1_000)} s`;
  return new SourceError(retryable ? 'unreachable' : 'failed', message + wait, { retryable });
}

function revisionOf({ headers }: HttpResponse): Pick<SourceReading, 'revision'> {
  const { etag, 'last-modified': lastModified } = headers;
  if (etag === undefined && lastModified === undefined) return {};
  return {
    revision: {
      ...defined({ etag, lastModified }),
    },
  };
}

function fileName(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).replaceAll('/', '_') || 'lockfile';
  } catch {
    return last;
  }
}
