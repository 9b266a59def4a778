import type { ParameterDescription } from '../../../discovery/description/description.ts';
import type { ApiMethod } from '../../../discovery/description/methods.ts';
import type { MethodId } from '../../../operations/operation.ts';
import { ACCEPTED, isRead, SECRET } from '../http-operation.ts';
import { formSchemaName } from '../multipart.ts';
import {
  type Json,
  reference,
  type SHARED_PARAMETERS,
  type SHARED_RESPONSES,
  schemaOf,
} from './components.ts';

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

/** A parameter as OpenAPI describes it. */
export function parameterOf(name: string, parameter: ParameterDescription): Json {
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
