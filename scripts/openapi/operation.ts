import type { ApiMethod } from '../../src/discovery/description/methods.ts';
import type { MethodId } from '../../src/operations/operation.ts';
import { ACCEPTED, isRead, SECRET } from '../../src/server/api/http-operation.ts';
import { type Json, parameterOf } from '../../src/server/api/json-schema.ts';
import { formSchemaName } from '../../src/server/api/multipart.ts';

const EVENTS: MethodId = 'lockhound.events.stream';
const SESSIONS: ReadonlySet<string> = new Set<MethodId>([
  'lockhound.session.create',
  'lockhound.session.delete',
]);

/** Name of the tag that groups operations of the same resource. */
export function tagOf({ resource }: ApiMethod): string {
  return resource.join('.');
}

/** A method as an operation of OpenAPI, with the headers and statuses that the server adds to every method of its kind. */
export function operationOf(method: ApiMethod): Json {
  const { id, description: own, parameters } = method;
  const role = own.scopes?.[0];
  return {
    operationId: id,
    tags: [tagOf(method)],
    description: `${own.description ?? ''} ${role === undefined ? 'Needs no role.' : `Needs the role \`${role}\`.`}`,
    ...(role === undefined ? { security: [] } : {}),
    parameters: [
      ...[...parameters].map(([name, parameter]) => parameterOf(name, parameter)),
      ...headersOf(method).map((name) => reference('parameters', name)),
    ],
    ...bodyOf(method),
    responses: {
      [ACCEPTED.has(id) ? '202' : '200']: successOf(method),
      ...Object.fromEntries(
        refusalsOf(method).map(([status, name]) => [status, reference('responses', name)]),
      ),
    },
  };
}

function headersOf(method: ApiMethod): readonly (keyof typeof SHARED_PARAMETERS)[] {
  if (method.id === EVENTS) return ['LastEventId'];
  if (isRead(method)) return ['IfNoneMatch'];
  return [
    ...(SECRET.has(method.id) ? [] : (['IdempotencyKey'] as const)),
    ...(method.request === undefined ? [] : (['ContentEncoding'] as const)),
  ];
}

function bodyOf({ request, description }: ApiMethod): Json {
  if (request === undefined) return {};
  const form = formSchemaName({ $ref: request });
  const content = {
    'application/json': { schema: reference('schemas', request) },
    ...(description.supportsMediaUpload === true
      ? { 'multipart/form-data': { schema: reference('schemas', form) } }
      : {}),
  };
  return { requestBody: { required: true, content } };
}

function successOf(method: ApiMethod): Json {
  const { id, response } = method;
  const type = id === EVENTS ? 'text/event-stream' : '*/*';
  const content =
    response === undefined
      ? { [type]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: reference('schemas', response) } };
  const headers = {
    'X-Request-Id': reference('headers', 'RequestId'),
    ...(isRead(method) && id !== EVENTS ? { ETag: reference('headers', 'ETag') } : {}),
    ...(isRead(method) || SECRET.has(id)
      ? {}
      : { 'Idempotency-Replayed': reference('headers', 'IdempotencyReplayed') }),
    ...(SESSIONS.has(id) ? { 'Set-Cookie': reference('headers', 'SetCookie') } : {}),
  };
  return { description: ACCEPTED.has(id) ? 'It is queued.' : 'The answer.', headers, content };
}

/** Statuses with the names of their responses. */
function refusalsOf(
  method: ApiMethod,
): readonly (readonly [status: string, name: keyof typeof SHARED_RESPONSES])[] {
  const isWrite = !isRead(method);
  const hasPath = [...method.parameters.values()].some(({ location }) => location === 'path');
  return [
    ...(isWrite || method.id === EVENTS ? [] : ([['304', 'NotModified']] as const)),
    ['400', 'Invalid'],
    ['401', 'NotSignedIn'],
    ['403', 'Forbidden'],
    ...(hasPath ? ([['404', 'NotFound']] as const) : []),
    ...(isWrite ? ([['409', 'Conflict']] as const) : []),
    ...(method.request === undefined
      ? []
      : ([
          ['413', 'TooLarge'],
          ['415', 'MediaType'],
        ] as const)),
    ...(isWrite && !SECRET.has(method.id) ? ([['422', 'KeyUsed']] as const) : []),
    ['429', 'TooMany'],
    ['503', 'Unavailable'],
    ['default', 'Failed'],
  ];
}

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
function headersNamed(...names: readonly (keyof typeof SHARED_HEADERS)[]): Json {
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
