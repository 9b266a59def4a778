import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RestDescription } from '../../discovery/description/description.ts';
import { directoryOf, documentPath, withRootUrl } from '../../discovery/directory/served-directory.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { Json } from './json-schema.ts';
import { OPEN_API } from './openapi.generated.ts';

/**
 * Adds the directory of the discovery service, the description document and its form as OpenAPI. They need no role. `publicUrl`: by
 * which callers reach the server. Default: the host that they name.
 */
export function addDocuments(app: FastifyInstance, document: RestDescription, publicUrl?: string): void {
  const rootOf = (request: FastifyRequest): string => publicUrl ?? hostOf(request);
  const { name = '', version = '', servicePath = '' } = document;
  const openApi: Json = JSON.parse(OPEN_API);
  app.get('/discovery/v1/apis', async (request) => {
    const parameters = new URLSearchParams(request.raw.url?.split('?')[1]);
    return directoryOf([document], new Map(parameters), rootOf(request).replace(/\/$/, ''));
  });
  app.get(documentPath(name, version), async (request) => withRootUrl(document, rootOf(request)));
  app.get('/openapi.json', async (request) => {
    const url = new URL(servicePath, rootOf(request)).href.replace(/\/$/, '');
    return { ...openApi, servers: [{ url }] };
  });
}

/** The URL by which the caller reaches this server. */
function hostOf({ protocol, host }: { readonly protocol: string; readonly host: string }): string {
  const url = URL.parse(`${protocol}://${host}`);
  if (url === null) throw new Refusal(400, 'host-invalid', 'the header Host is not valid');
  return url.origin;
}
