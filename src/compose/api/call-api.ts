import type { LoadedConfig } from '../../config/load.ts';
import { type ApiResponse, createApiClient } from '../../discovery/client.ts';
import type { Media, UploadProtocol } from '../../discovery/media-upload.ts';
import { findMethod } from '../../discovery/methods.ts';
import { paramsInOrder } from '../../discovery/request-parameters.ts';
import { uploadMedia } from '../../discovery/upload.ts';
import type { Secret } from '../../model/secret.ts';
import { credentialHeaders } from '../../notify/platform/credentials.ts';
import { baseUrlOf } from '../../notify/platform/sites.ts';
import { asParams } from './batch-urls.ts';
import { openDocuments } from './documents.ts';
import { bundledApi } from './read-document.ts';

export type { ApiResponse };

export interface CallOptions {
  readonly document: string;
  readonly methodId: string;
  /** Values in the order of the method's signature; `params` win over them. */
  readonly values: readonly string[];
  readonly params: unknown;
  /** JSON value; `undefined` for none. */
  readonly body: unknown;
  readonly media?: Media | undefined;
  readonly protocol?: UploadProtocol | undefined;
  readonly rootUrl?: string | undefined;
  readonly directory?: string | undefined;
  /** Sent as a bearer token. */
  readonly token?: Secret | undefined;
  readonly signal: AbortSignal;
}

/**
 * Calls one method. Our own APIs are called where the configuration says, with its credentials. Throws `ApiError`,
 * `DiscoveryError` before sending, and `HttpError` when there is no answer.
 */
export async function callApi(loaded: LoadedConfig, options: CallOptions): Promise<ApiResponse> {
  const { methodId, values, params, body, media, protocol, signal, token } = options;
  const documents = openDocuments({ directory: options.directory });
  try {
    const document = await documents.load(options.document, signal);
    const configured = configuredService(loaded, options.document);
    const rootUrl = options.rootUrl ?? configured.rootUrl;
    // A document from elsewhere does not get to name hosts of this network; one on this machine is the person's own.
    const isRemote = options.directory !== undefined || /^https?:/i.test(options.document);
    const trusted = rootUrl ?? (isRemote ? undefined : (document.rootUrl ?? document.baseUrl));
    if (trusted !== undefined) documents.trust(trusted);
    const client = {
      document,
      http: documents.http,
      headers: () => ({
        // Credentials of the configuration go where it says, not to another root.
        ...(options.rootUrl === undefined ? configured.headers?.() : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
      }),
      ...(rootUrl === undefined ? {} : { rootUrl }),
    };
    const call = {
      params: { ...paramsInOrder(findMethod(document, methodId), values), ...asParams(params) },
      signal,
      ...(body === undefined ? {} : { body }),
    };
    if (media === undefined) return await createApiClient(client).call(methodId, call);
    const upload = protocol === undefined ? { media } : { media, protocol };
    return await uploadMedia(client, methodId, { ...call, ...upload });
  } finally {
    await documents.close();
  }
}

interface ConfiguredService {
  readonly rootUrl?: string;
  readonly headers?: () => Readonly<Record<string, string>>;
}

function configuredService({ config, secrets }: LoadedConfig, named: string): ConfiguredService {
  const api = bundledApi(named);
  if (api === 'insights.v3alpha') return { rootUrl: config.insights.url };
  const platform = config.notify?.platform;
  if (api !== 'webhooks.v1' || platform === undefined) return {};
  const rootUrl = platform.url ?? baseUrlOf(platform.site ?? '');
  const { apiKey, applicationKey } = secrets;
  if (apiKey === undefined || applicationKey === undefined) return { rootUrl };
  const credentials = { apiKey, applicationKey, headerPrefix: platform.headerPrefix };
  return { rootUrl, headers: credentialHeaders(credentials) };
}
