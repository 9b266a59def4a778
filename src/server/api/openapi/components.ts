import type { SchemaDescription } from '../../../discovery/description/description.ts';
import { defined } from '../../../model/defined.ts';

/** An error answer, as `Problem` of `problem.ts`. */
export const PROBLEM_SCHEMA: Json = {
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

export const SHARED_HEADERS = {
  ETag: header('Tag of the content, for `If-None-Match`.'),
  RequestId: header('Id of the request, as in the log.'),
  RetryAfter: header('Seconds after which another attempt may succeed.', 'integer'),
  IdempotencyReplayed: header('`true`: an earlier request with the key had this answer.'),
  SetCookie: header('The cookie of the session.'),
  Challenge: header('How a caller signs in.'),
};

export const SHARED_PARAMETERS = {
  IfNoneMatch: headerParameter(
    'If-None-Match',
    'Tags that the caller has: answered with 304 when one is current.',
  ),
  IdempotencyKey: headerParameter(
    'Idempotency-Key',
    'For 24 hours the same request with this key runs once, and has the same answer. 1 to 200 characters without spaces.',
    '^[!-~]{1,200}$',
  ),
  LastEventId: headerParameter('Last-Event-ID', 'Id of the event after which the stream continues.'),
  ContentEncoding: headerParameter(
    'Content-Encoding',
    '`gzip` for a compressed body.',
    '^(?:gzip|identity)$',
  ),
};

/** Refusals by the name that operations refer to. */
export const SHARED_RESPONSES = {
  NotModified: { description: 'The content is the one that the caller has.', headers: headersNamed('ETag') },
  Invalid: problem('A parameter or the body is not valid.'),
  NotSignedIn: problem('The credentials are missing, not valid or expired.', {
    'WWW-Authenticate': 'Challenge',
  }),
  Forbidden: problem('The caller has not the role, or may not do this.'),
  NotFound: problem('It does not exist, or is about a target that the caller does not see.'),
  Conflict: problem('It exists already, was changed meanwhile, or is being answered.', {
    'Retry-After': 'RetryAfter',
  }),
  TooLarge: problem('The body is too large.'),
  MediaType: problem('The body has another type or encoding than those listed.'),
  KeyUsed: problem('Another request had the same `Idempotency-Key`.'),
  TooMany: problem('The caller sends too many requests.', { 'Retry-After': 'RetryAfter' }),
  Unavailable: problem('Redis does not answer, or the fleet is still being read.', {
    'Retry-After': 'RetryAfter',
  }),
  Failed: problem('The request was refused, or it failed.'),
};

/** Header names with the entries of `SHARED_HEADERS` of the same or of another name. */
export function headersNamed(...names: readonly (keyof typeof SHARED_HEADERS)[]): Json {
  return Object.fromEntries(names.map((name) => [name, reference('headers', name)]));
}

/** A reference to a component. */
export function reference(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

function problem(
  description: string,
  more: Readonly<Record<string, keyof typeof SHARED_HEADERS>> = {},
): Json {
  const headers = Object.entries({ 'X-Request-Id': 'RequestId', ...more }).map(([name, component]) => [
    name,
    reference('headers', component),
  ]);
  return {
    description,
    headers: Object.fromEntries(headers),
    content: { 'application/problem+json': { schema: reference('schemas', 'ProblemDetails') } },
  };
}

function header(description: string, type = 'string'): Json {
  return { description, schema: { type } };
}

function headerParameter(name: string, description: string, pattern?: string): Json {
  const schema = { type: 'string', ...(pattern === undefined ? {} : { pattern }) };
  return { name, in: 'header', required: false, description, schema };
}

/** An object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** A schema of a description document as JSON Schema, draft 2020-12. */
export function schemaOf(schema: SchemaDescription): Json {
  const { $ref, type, description, format, pattern, minimum, maximum, items, properties, nullable } = schema;
  if ($ref !== undefined)
    return { $ref: `#/components/schemas/${$ref}`, ...(description && { description }) };
  const names = Object.entries(properties ?? {});
  const required = names
    .filter(([, one]) => (one.annotations?.required ?? []).length > 0)
    .map(([name]) => name);
  return defined({
    type: type === 'any' ? undefined : nullable === true ? [type, 'null'] : type,
    ...{ description, format, pattern, enum: schema.enum },
    minimum: minimum === undefined ? undefined : Number(minimum),
    maximum: maximum === undefined ? undefined : Number(maximum),
    default: schema.default === undefined ? undefined : defaultOf(type, schema.default),
    items: items && schemaOf(items),
    properties: properties && Object.fromEntries(names.map(([name, one]) => [name, schemaOf(one)])),
    required: required.length === 0 ? undefined : required,
    additionalProperties: schema.additionalProperties && schemaOf(schema.additionalProperties),
  });
}

/** Documents write defaults as text. */
function defaultOf(type: string | undefined, text: string): unknown {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? Number(text) : text;
}
