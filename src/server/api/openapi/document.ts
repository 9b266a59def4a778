import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RestDescription } from '../../../discovery/description/description.ts';
import { methodsOf } from '../../../discovery/description/methods.ts';
import { directoryOf, documentPath, withRootUrl } from '../../../discovery/directory/served-directory.ts';
import { Refusal } from '../../../operations/refusal.ts';
import { SESSION_COOKIE } from '../auth/session-cookie.ts';
import {
  type Json,
  PROBLEM_SCHEMA,
  SHARED_HEADERS,
  SHARED_PARAMETERS,
  SHARED_RESPONSES,
  schemaOf,
} from './components.ts';
import { operationOf, tagOf } from './operation.ts';

/** The document in the form of OpenAPI 3.1. `rootUrl`: where the server is reached. */
export function openApiOf(document: RestDescription, rootUrl: string): Json {
  const { title = '', description, version = '', servicePath = '', schemas = {} } = document;
  const paths: Record<string, Record<string, Json>> = {};
  for (const method of methodsOf(document)) {
    const path = `/${method.path}`;
    paths[path] = { ...paths[path], [method.httpMethod.toLowerCase()]: operationOf(method) };
  }
  return {
    openapi: '3.1.1',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: new URL(servicePath, rootUrl).href.replace(/\/$/, '') }],
    // Without tokens, programs of this machine need none.
    security: [{ token: [] }, { session: [] }, {}],
    tags: [...new Set(methodsOf(document).map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of `lockhound tokens create`.' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'Signing in sets it.' },
      },
      parameters: SHARED_PARAMETERS,
      headers: SHARED_HEADERS,
      responses: SHARED_RESPONSES,
      schemas: {
        ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaOf(schema)])),
        ProblemDetails: PROBLEM_SCHEMA,
      },
    },
  };
}

/**
 * Adds the directory of the discovery service, the description document and its form as OpenAPI. They need no role. `publicUrl`: by
 * which callers reach the server. Default: the host that they name.
 */
export function addDocuments(app: FastifyInstance, document: RestDescription, publicUrl?: string): void {
  const rootOf = (request: FastifyRequest): string => publicUrl ?? hostOf(request);
  const { name = '', version = '' } = document;
  app.get('/discovery/v1/apis', async (request) => {
    const parameters = new URLSearchParams(request.raw.url?.split('?')[1]);
    return directoryOf([document], new Map(parameters), rootOf(request).replace(/\/$/, ''));
  });
  app.get(documentPath(name, version), async (request) => withRootUrl(document, rootOf(request)));
  app.get('/openapi.json', async (request) => openApiOf(document, rootOf(request)));
}

/** The URL by which the caller reaches this server. */
function hostOf({ protocol, host }: { readonly protocol: string; readonly host: string }): string {
  const url = URL.parse(`${protocol}://${host}`);
  if (url === null) throw new Refusal(400, 'host-invalid', 'the header Host is not valid');
  return url.origin;
}
