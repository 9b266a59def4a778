import type { HttpClient, HttpResponse } from '../../http/client.ts';
import { HttpError, printableUrl } from '../../http/errors.ts';
import { type ApiClientOptions, type ApiResponse, apiResponse } from '../client.ts';
import { DiscoveryError } from '../errors.ts';
import { type CompiledUpload, compileUpload, type Media, type UploadArguments } from './media-upload.ts';

interface UploadCall extends Omit<UploadArguments, 'rootUrl'> {
  readonly signal?: AbortSignal;
  /** Size of one part of a resumable upload in bytes; services require a multiple of 256 KiB. Default 8 MiB. */
  readonly chunkBytes?: number;
}

const CHUNK_BYTES = 8 * 2 ** 20;
/** Consecutive failures after which the upload fails; each part that arrives resets the count. */
const MAX_FAILURES = 5;

/**
 * Uploads media by the protocol of the method, a resumable one in parts: after a lost connection or a 5xx the session is
 * asked how many bytes arrived. Returns the last answer with any status. Throws `DiscoveryError` and `HttpError`.
 */
export async function uploadMedia(
  options: ApiClientOptions,
  methodId: string,
  call: UploadCall,
): Promise<ApiResponse> {
  const { document, http, rootUrl, headers } = options;
  const { signal, chunkBytes = CHUNK_BYTES, ...rest } = call;
  const request = compileUpload(document, methodId, { ...rest, rootUrl });
  const credentials = headers?.() ?? {};
  const opened = await http.send({ ...request, headers: { ...request.headers, ...credentials }, signal });
  if (request.protocol !== 'resumable' || opened.status < 200 || opened.status > 299) {
    return apiResponse(request, opened);
  }
  const url = sessionUrl(request, opened);
  const session: Session = {
    http,
    url,
    media: call.media,
    chunkBytes,
    signal,
    // The service chooses the URL of the session: credentials are sent to its own origin only.
    credentials: URL.parse(url)?.origin === URL.parse(request.url)?.origin ? credentials : {},
  };
  return apiResponse(request, await sendParts(session));
}

interface Session {
  readonly http: HttpClient;
  readonly url: string;
  readonly media: Media;
  readonly chunkBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly credentials: Readonly<Record<string, string>>;
}

function sessionUrl(request: CompiledUpload, { headers, status }: HttpResponse): string {
  const url = URL.parse(headers['location'] ?? '', request.url);
  if (headers['location'] !== undefined && url !== null) return url.href;
  throw new DiscoveryError(
    'unavailable',
    `${printableUrl(request.url)} answered HTTP ${status} without the URL of an upload session`,
  );
}

async function sendParts(session: Session): Promise<HttpResponse> {
  let offset = 0;
  for (let failures = 0; ; ) {
    const answer = await sendPart(session, offset).catch(lostConnection);
    if (answer !== undefined && answer.status !== 308 && answer.status < 500) return answer;
    const state = answer?.status === 308 ? answer : await askState(session);
    if (state.status !== 308) return state;
    const next = received(state, session.media.content.length);
    failures = next > offset ? 0 : failures + 1;
    if (failures >= MAX_FAILURES) {
      throw new DiscoveryError(
        'unavailable',
        `${printableUrl(session.url)} accepted only ${next} of ${session.media.content.length} bytes`,
        { retryable: true },
      );
    }
    offset = next;
  }
}

function sendPart(session: Session, offset: number): Promise<HttpResponse> {
  const { http, url, media, chunkBytes, signal, credentials } = session;
  const total = media.content.length;
  const end = Math.min(offset + chunkBytes, total);
  const range = total === 0 ? 'bytes */0' : `bytes ${offset}-${end - 1}/${total}`;
  return http.send({
    method: 'PUT',
    url,
    headers: { ...credentials, 'content-type': media.contentType, 'content-range': range },
    body: media.content.subarray(offset, end),
    // After a failure the session is asked first: some of the bytes may have arrived.
    idempotent: false,
    signal,
  });
}

function askState({ http, url, media, signal, credentials }: Session): Promise<HttpResponse> {
  const headers = {
    ...credentials,
    'content-range': `bytes */${media.content.length}`,
    'content-length': '0',
  };
  return http.send({ method: 'PUT', url, headers, idempotent: true, signal });
}

/** `undefined` for a lost connection, which the session survives. */
function lostConnection(error: unknown): undefined {
  if (error instanceof HttpError && error.retryable) return undefined;
  throw error;
}

/** The number of bytes that arrived, by `Range: bytes=0-42`; 0 without that header. */
function received({ headers }: HttpResponse, total: number): number {
  const last = /^bytes=0-(\d{1,15})$/.exec(headers['range'] ?? '')?.[1];
  return last === undefined ? 0 : Math.min(Number(last) + 1, total);
}
