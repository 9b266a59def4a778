import type { RestDescription } from '../../src/discovery/description/description.ts';
import { methodsOf } from '../../src/discovery/description/methods.ts';
import { SESSION_COOKIE } from '../../src/server/api/auth/session-cookie.ts';
import { type Json, schemaOf } from '../../src/server/api/json-schema.ts';
import {
  operationOf,
  PROBLEM_SCHEMA,
  SHARED_HEADERS,
  SHARED_PARAMETERS,
  SHARED_RESPONSES,
  tagOf,
} from './operation.ts';

/** The document in the form of OpenAPI 3.1. Its server is the one that sends it. */
export function openApiOf(document: RestDescription): Json {
  const { title = '', description, version = '', schemas = {} } = document;
  const paths: Record<string, Record<string, Json>> = {};
  for (const method of methodsOf(document)) {
    const path = `/${method.path}`;
    paths[path] = { ...paths[path], [method.httpMethod.toLowerCase()]: operationOf(method) };
  }
  return {
    openapi: '3.1.1',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [],
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
