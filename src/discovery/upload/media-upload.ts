import { randomUUID } from 'node:crypto';
import type { MediaUploadDescription, RestDescription } from '../description/description.ts';
import { type ApiMethod, findMethod } from '../description/methods.ts';
import { reportInvalidDocuments } from '../description/validate-description.ts';
import { DiscoveryError } from '../errors.ts';
import { joinUrl, rootUrlOf, withQuery } from '../request/base-url.ts';
import { bodyText, type CallArguments, type CompiledRequest } from '../request/compile.ts';
import { placeParameters } from '../request/request-parameters.ts';
import { inMediaRanges, uploadLimit } from './media-range.ts';

/**
 * - `simple`: the content is the body.
 * - `multipart`: metadata and content in one body.
 * - `resumable`: a session is opened first, and the content is sent in parts (`uploadMedia`).
 */
export type UploadProtocol = 'simple' | 'multipart' | 'resumable';

export interface Media {
  /** `image/png` */
  readonly contentType: string;
  readonly content: Buffer;
}

export interface UploadArguments extends Omit<CallArguments, 'flatPath'> {
  readonly media: Media;
  /** Default: the protocol of the method that suits the content best. */
  readonly protocol?: UploadProtocol;
}

export interface CompiledUpload extends Omit<CompiledRequest, 'body'> {
  readonly protocol: UploadProtocol;
  readonly body?: string | Buffer | undefined;
}

/** From this size a lost connection is expensive enough for a session. */
const RESUMABLE_FROM_BYTES = 8 * 2 ** 20;

/**
 * The request that uploads media (discovery specification, "mediaUpload"); of a resumable upload the one that opens the
 * session. Throws `DiscoveryError`: `invalid-media` for content or a protocol that the method does not accept, else as
 * `compileRequest` does.
 */
export function compileUpload(
  document: RestDescription,
  methodId: string,
  call: UploadArguments,
): CompiledUpload {
  return reportInvalidDocuments([document], () => compile(document, methodId, call));
}

function compile(document: RestDescription, methodId: string, call: UploadArguments): CompiledUpload {
  const method = findMethod(document, methodId);
  const upload = method.description.mediaUpload;
  if (upload === undefined) throw refusal(method, 'takes no media');
  const { params = {}, body, rootUrl, media, lenient = false } = call;
  checkMedia(method, upload, media);
  const protocol = call.protocol ?? chooseProtocol(upload, call);
  const template = pathOf(method, upload, protocol);
  const placed = placeParameters(document, method, params, { flatPath: false, lenient, template });
  const type = `uploadType=${protocol === 'simple' ? 'media' : protocol}`;
  const query =
    'uploadType' in params ? placed.query : [placed.query, type].filter((one) => one !== '').join('&');
  const url = withQuery(joinUrl(rootUrlOf(document, rootUrl), placed.path), query);
  const metadata = body === undefined ? undefined : bodyText(document, method, body);
  return { protocol, method: method.httpMethod, url, ...contentOf(method, protocol, media, metadata) };
}

function contentOf(
  method: ApiMethod,
  protocol: UploadProtocol,
  { contentType, content }: Media,
  metadata: string | undefined,
): Pick<CompiledUpload, 'headers' | 'body'> {
  const accept = 'application/json';
  switch (protocol) {
    case 'simple':
      if (metadata !== undefined)
        throw refusal(method, 'takes metadata only by multipart or resumable upload');
      return { headers: { accept, 'content-type': contentType }, body: content };
    case 'multipart': {
      const boundary = `part-${randomUUID()}`;
      const body = multipartBody(boundary, metadata ?? '{}', { contentType, content });
      return { headers: { accept, 'content-type': `multipart/related; boundary=${boundary}` }, body };
    }
    case 'resumable':
      return {
        headers: {
          accept,
          'x-upload-content-type': contentType,
          'x-upload-content-length': String(content.length),
          ...(metadata === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: metadata,
      };
  }
}

/** RFC 2387. The boundary is random, so that the content does not contain it. */
function multipartBody(boundary: string, metadata: string, { contentType, content }: Media): Buffer {
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${metadata}\r\n`),
    Buffer.from(`--${boundary}\r\ncontent-type: ${contentType}\r\n\r\n`),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

function checkMedia(
  method: ApiMethod,
  upload: MediaUploadDescription,
  { contentType, content }: Media,
): void {
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(contentType)) {
    throw refusal(method, `cannot be sent media with the malformed type ${JSON.stringify(contentType)}`);
  }
  const { accept = [], maxSize } = upload;
  if (!inMediaRanges(accept, contentType)) {
    throw refusal(method, `takes ${accept.join(', ')}, not ${contentType}`);
  }
  if (content.length > (uploadLimit(maxSize) ?? Number.POSITIVE_INFINITY)) {
    throw refusal(method, `takes at most ${maxSize}; this is ${content.length} bytes`);
  }
}

function chooseProtocol(
  { protocols = {} }: MediaUploadDescription,
  { body, media }: UploadArguments,
): UploadProtocol {
  const { simple, resumable } = protocols;
  const large = media.content.length >= RESUMABLE_FROM_BYTES;
  const fitsSimple = body === undefined || simple?.multipart === true;
  if (resumable !== undefined && (simple === undefined || large || !fitsSimple)) return 'resumable';
  return body === undefined ? 'simple' : 'multipart';
}

function pathOf(
  method: ApiMethod,
  { protocols = {} }: MediaUploadDescription,
  protocol: UploadProtocol,
): string {
  const offered = protocols[protocol === 'resumable' ? 'resumable' : 'simple'];
  if (offered?.path === undefined) throw refusal(method, `offers no ${protocol} upload`);
  if (protocol === 'multipart' && offered.multipart !== true)
    throw refusal(method, 'offers no multipart upload');
  return offered.path;
}

function refusal(method: ApiMethod, reason: string): DiscoveryError {
  return new DiscoveryError('invalid-media', `${method.id} ${reason}`);
}
