import type {
  ParameterDescription,
  RestDescription,
  SchemaDescription,
} from '../../discovery/description/description.ts';
import { type ApiMethod, methodsOf } from '../../discovery/description/methods.ts';

type Json = Readonly<Record<string, unknown>>;

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
    security: [{ token: [] }, { session: [] }],
    tags: [...new Set(methodsOf(document).map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of `lockhound token create`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'lockhound-session',
          description: 'Signing in sets it.',
        },
      },
      schemas: {
        ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaOf(schema)])),
        Problem: PROBLEM,
      },
    },
  };
}

const PROBLEM = {
  type: 'object',
  description: 'An error answer (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string', description: '`urn:lockhound:problem:<code>`.' },
    title: { type: 'string', description: 'Name of the status.' },
    status: { type: 'integer', description: 'HTTP status.' },
    detail: { type: 'string', description: 'What happened, and what to do.' },
    instance: { type: 'string', description: 'Id of the request, as in the log.' },
  },
};

function tagOf({ resource }: ApiMethod): string {
  return resource.join('.');
}

function operationOf(method: ApiMethod): Json {
  const { id, description: own, parameters, request, response } = method;
  const answer =
    response === undefined ? { '*/*': { schema: {} } } : json({ $ref: `#/components/schemas/${response}` });
  return {
    operationId: id,
    tags: [tagOf(method)],
    description: `${own.description ?? ''} Needs the role \`${own.scopes?.[0] ?? ''}\`.`,
    parameters: [...parameters].map(([name, parameter]) => parameterOf(name, parameter)),
    ...(request === undefined
      ? {}
      : { requestBody: { required: true, content: json({ $ref: `#/components/schemas/${request}` }) } }),
    responses: {
      '200': { description: 'The answer.', content: answer },
      default: {
        description: 'The request was refused, or it failed.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function parameterOf(name: string, parameter: ParameterDescription): Json {
  const { description, required = false, location, repeated = false } = parameter;
  const { description: _shown, ...schema } = schemaOf(parameter);
  return {
    name,
    in: location,
    required,
    description,
    schema: repeated ? { type: 'array', items: schema } : schema,
    ...(repeated ? { style: 'form', explode: true } : {}),
  };
}

/** JSON Schema, draft 2020-12. */
function schemaOf(schema: SchemaDescription): Json {
  const { $ref, type, description, format, pattern, minimum, maximum, items, properties, nullable } = schema;
  if ($ref !== undefined)
    return { $ref: `#/components/schemas/${$ref}`, ...(description && { description }) };
  const names = Object.entries(properties ?? {});
  const required = names
    .filter(([, one]) => (one.annotations?.required ?? []).length > 0)
    .map(([name]) => name);
  return {
    ...(type === undefined || type === 'any' ? {} : { type: nullable === true ? [type, 'null'] : type }),
    ...(description === undefined ? {} : { description }),
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(schema.enum === undefined ? {} : { enum: schema.enum }),
    ...(minimum === undefined ? {} : { minimum: Number(minimum) }),
    ...(maximum === undefined ? {} : { maximum: Number(maximum) }),
    ...(schema.default === undefined ? {} : { default: defaultOf(type, schema.default) }),
    ...(items === undefined ? {} : { items: schemaOf(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(names.map(([name, one]) => [name, schemaOf(one)])) }),
    ...(required.length === 0 ? {} : { required }),
    ...(schema.additionalProperties === undefined
      ? {}
      : { additionalProperties: schemaOf(schema.additionalProperties) }),
  };
}

/** Documents write defaults as text. */
function defaultOf(type: string | undefined, text: string): unknown {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? Number(text) : text;
}
