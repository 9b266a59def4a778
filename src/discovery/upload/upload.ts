import type { HttpClient, HttpResponse } from '../../http/client.ts';
import { HttpError, printableUrl } from '../../http/errors.ts';
import { type ApiClientOptions, type ApiResponse, apiResponse } from '../client.ts';
import { DiscoveryError } from '../errors.ts';
import { type CompiledUpload, compileUpload, type Media, type UploadArguments } from './media-upload.ts';

export interface UploadCall extends Omit<UploadArguments, 'rootUrl'> {
  readonly signal?: AbortSignal;
  /** Bytes of one piece of a resumable upload; services ask for a multiple of 256 KiB. Default 8 MiB. */
  readonly chunkBytes?: number;
}

const CHUNK_BYTES = 8 * 2 ** 20;
/** Failures in a row after which a session is given up; each piece that arrives starts anew. */
const MAX_FAILURES = 5;

/**
 * Uploads media by the method's own protocol, a resumable one piece by piece: after a lost connection or a 5xx the
 * session is asked how much has arrived. Gives the last answer, whatever its status. Throws `DiscoveryError` and
 * `HttpError`.
 */
export async function uploadMedia(
  options: ApiClientOptions,
  methodId: string,
  call: UploadCall,
): Promise<ApiResponse> {
  const { document, http, rootUrl, headers } = options;
  const { signal, chunkBytes = CHUNK_BYTES, ...rest } = call;
  const request = compileUpload(document, methodId, {
    ...rest,
    ...(rootUrl === undefined ? {} : { rootUrl }),
  });
  const control = signal === undefined ? {} : { signal };
  const credentials = headers?.() ?? {};
  const opened = await http.send({ ...request, headers: { ...request.headers, ...credentials }, ...control });
  if (request.protocol !== 'resumable' || opened.status < 200 || opened.status > 299) {
    return apiResponse(request, opened);
  }
  const url = sessionUrl(request, opened);
  const session: Session = {
    http,
    url,
    media: call.media,
    chunkBytes,
    control,
    // The session's address is the service's to choose: only its own host is told who we are.
    credentials: URL.parse(url)?.origin === URL.parse(request.url)?.origin ? credentials : {},
  };
  return apiResponse(request, await sendPieces(session));
}

interface Session {
  readonly http: HttpClient;
  readonly url: string;
  readonly media: Media;
  readonly chunkBytes: number;
  readonly control: { readonly signal?: AbortSignal };
  readonly credentials: Readonly<Record<string, string>>;
}

function sessionUrl(request: CompiledUpload, { headers, status }: HttpResponse): string {
  const url = URL.parse(headers['location'] ?? '', request.url);
  if (headers['location'] !== undefined && url !== null) return url.href;
  throw new DiscoveryError(
    'unavailable',
    `${printableUrl(request.url)} answered HTTP ${status} without the address of an upload session`,
  );
}

async function sendPieces(session: Session): Promise<HttpResponse> {
  let offset = 0;
  for (let failures = 0; ; ) {
    const answer = await sendPiece(session, offset).catch(lostConnection);
    if (answer !== undefined && answer.status !== 308 && answer.status < 500) return answer;
    const state = answer?.status === 308 ? answer : await askState(session);
    if (state.status !== 308) return state;
    const next = received(state, session.media.content.length);
    failures = next > offset ? 0 : failures + 1;
    if (failures >= MAX_FAILURES) {
      throw new DiscoveryError(
        'unavailable',
        `${printableUrl(session.url)} took ${next} of ${session.media.content.length} bytes and no more`,
        { retryable: true },
      );
    }
    offset = next;
  }
}

function sendPiece(session: Session, offset: number): Promise<HttpResponse> {
  const { http, url, media, chunkBytes, control, credentials } = session;
  const total = media.content.length;
  const end = Math.min(offset + chunkBytes, total);
  const range = total === 0 ? 'bytes */0' : `bytes ${offset}-${end - 1}/${total}`;
  return http.send({
    method: 'PUT',
    url,
    headers: { ...credentials, 'content-type': media.contentType, 'content-range': range },
    body: media.content.subarray(offset, end),
    // After a failure the session is asked first: a part of the piece may have arrived.
    idempotent: false,
    ...control,
  });
}

function askState({ http, url, media, control, credentials }: Session): Promise<HttpResponse> {
  const headers = {
    ...credentials,
    'content-range': `bytes */${media.content.length}`,
    'content-length': '0',
  };
  return http.send({ method: 'PUT', url, headers, idempotent: true, ...control });
}

/** `undefined` for a connection that broke: the session lives on. */
function lostConnection(error: unknown): undefined {
  if (error instanceof HttpError && error.retryable) return undefined;
  throw error;
}

/** How much the session has, by its `Range: bytes=0-42`; nothing when it says nothing. */
function received({ headers }: HttpResponse, total: number): number {
  const last = /^bytes=0-(\d{1,15})$/.exec(headers['range'] ?? '')?.[1];
  return last === undefined ? 0 : Math.min(Number(last) + 1, total);
}
