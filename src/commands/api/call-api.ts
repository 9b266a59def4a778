import type { LoadedConfig } from '../../config/load.ts';
import { type ApiResponse, createApiClient } from '../../discovery/client.ts';
import type { RestDescription } from '../../discovery/description/description.ts';
import { findMethod } from '../../discovery/description/methods.ts';
import { endpointUrl } from '../../discovery/request/base-url.ts';
import type { Media, UploadProtocol } from '../../discovery/upload/media-upload.ts';
import { uploadMedia } from '../../discovery/upload/upload.ts';
import type { Secret } from '../../model/secret.ts';
import { credentialHeaders } from '../../notify/platform/credentials.ts';
import { platformUrl } from '../../notify/platform/sites.ts';
import type { AnswerSchema } from '../../report/answer.ts';
import { bundledApi, withDocuments } from './documents.ts';
import { type CallOfMethod, paramsOf } from './urls.ts';

export type { ApiResponse };

/** A response with the schema of its body. */
export type CalledApi = ApiResponse & { readonly answer: AnswerSchema };

export interface CallOptions extends CallOfMethod {
  /** JSON value; `undefined` for no body. */
  readonly body: unknown;
  readonly media?: Media | undefined;
  readonly protocol?: UploadProtocol | undefined;
  /** Sent as a bearer token. */
  readonly token?: Secret | undefined;
}

/**
 * Calls one method. The bundled APIs are called with the configured root URL and credentials. Throws `ApiError` and
 * `DiscoveryError` before sending, and `HttpError` when there is no answer.
 */
export async function callApi(loaded: LoadedConfig, options: CallOptions): Promise<CalledApi> {
  const { methodId, body, media, protocol, signal, token } = options;
  return withDocuments(options, async ({ load, trust, http }) => {
    const document = await load(options.document);
    const target = targetOf(loaded, options, document);
    if (target.trusted !== undefined) trust(target.trusted);
    const client = {
      document,
      http,
      headers: () => ({
        ...target.credentials?.(),
        ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
      }),
      rootUrl: target.rootUrl,
    };
    const call = { params: paramsOf(document, options), signal, body };
    const response =
      media === undefined
        ? await createApiClient(client).call(methodId, call)
        : await uploadMedia(client, methodId, {
            ...call,
            media,
            ...(protocol !== undefined && { protocol }),
          });
    const schema = findMethod(document, methodId).description.response ?? {};
    return { ...response, answer: { schema, schemas: document.schemas } };
  });
}

interface Target {
  /** Replaces the root URL of the document. */
  readonly rootUrl?: string | undefined;
  /** A URL whose host may be called even when it is on a private network. */
  readonly trusted: string | undefined;
  readonly credentials?: () => Readonly<Record<string, string>>;
}

/** The destination of a call. Configured credentials are sent to the configured root URL only. */
function targetOf(loaded: LoadedConfig, options: CallOptions, document: RestDescription): Target {
  const { endpoint, rootUrl, directory } = options;
  if (rootUrl !== undefined) return { rootUrl, trusted: rootUrl };
  // Remote documents must not direct calls to a private network. Local files are the user's own.
  const isOwn =
    bundledApi(options.document) !== undefined &&
    (directory === undefined || !options.document.includes(':'));
  const isLocal = isOwn || (directory === undefined && !/^https?:/i.test(options.document));
  const located = endpoint === undefined ? undefined : endpointUrl(document, endpoint);
  if (isOwn && located === undefined) return configuredTarget(loaded, options.document, document);
  const trusted = isLocal ? (located ?? document.rootUrl ?? document.baseUrl) : undefined;
  return { rootUrl: located, trusted };
}

function configuredTarget(
  { config, secrets }: LoadedConfig,
  name: string,
  { rootUrl }: RestDescription,
): Target {
  const api = bundledApi(name);
  if (api === 'lockhound.v1') {
    const { host, port } = config.serve;
    const own = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
    return { rootUrl: own, trusted: own };
  }
  if (api === 'insights.v3alpha') return { rootUrl: config.insights.url, trusted: config.insights.url };
  const platform = config.notify?.platform;
  if (api !== 'webhooks.v1' || platform === undefined) return { trusted: rootUrl };
  const url = platformUrl(platform);
  const { apiKey, applicationKey } = secrets;
  if (apiKey === undefined || applicationKey === undefined) return { rootUrl: url, trusted: url };
  const credentials = { apiKey, applicationKey, headerPrefix: platform.headerPrefix };
  return { rootUrl: url, trusted: url, credentials: credentialHeaders(credentials) };
}
