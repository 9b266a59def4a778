import type { FastifyRequest } from 'fastify';
import { readBundledDescription } from '../../discovery/bundled.ts';
import { isObject, jsonValue } from '../../model/json-object.ts';
import { Faults, LISTED_ERRORS } from '../faults.ts';
import { addFaults, createServer, type LocalService, listen, type ServiceOptions } from '../loopback.ts';
import { matchRoute, type RouteMatch, routesOf } from '../routes.ts';
import { callWebhook, type WebhookCall } from './call.ts';
import { mentionsIn, type PlatformEvent, readEvent, variablesOf } from './event.ts';
import type { Collection, Outcome, StoredVariable, StoredWebhook, WebhookModel } from './model.ts';
import { createWebhookModel } from './model.ts';

const BODY_LIMIT = 1 << 20;
const EVENTS_PATH = '/api/v1/events';

/** A pair of credentials. */
export interface WebhookKey {
  readonly apiKey: string;
  readonly applicationKey: string;
  /** Permissions of the application key, default all. Other operations are answered with 403. */
  readonly permissions?: readonly Permission[];
}

export interface WebhookServiceOptions extends ServiceOptions {
  /** The accepted pairs of credentials. Default: any pair that is not empty. */
  readonly keys?: readonly WebhookKey[];
  /** First part of the credential headers' names; `SVC` by default. */
  readonly headerPrefix?: string;
  /** Undocumented keys added to every answer, as the platform sometimes adds them. */
  readonly extraKeys?: Readonly<Record<string, unknown>>;
}

/** All stored objects, secret values included: for tests and the demo. */
export interface WebhookSnapshot {
  readonly webhooks: readonly StoredWebhook[];
  readonly variables: readonly StoredVariable[];
  /** Method ids of the requests that reached an operation, in order: `webhooks.definitions.create`, … */
  readonly calls: readonly string[];
  /** Accepted events. */
  readonly events: readonly PlatformEvent[];
  /** Finished calls of webhooks that events mentioned. */
  readonly called: readonly WebhookCall[];
}

export interface WebhookService extends LocalService {
  readonly faults: Faults;
  snapshot(): WebhookSnapshot;
}

type Reply = readonly [status: number, body: Readonly<Record<string, unknown>>];

/**
 * Starts a local webhook-integration service. It also accepts events on `/api/v1/events`, which no specification describes,
 * and calls the webhooks on this machine that they mention, with the stored secrets. Throws `EmbeddedError`.
 */
export async function startWebhookService(options: WebhookServiceOptions = {}): Promise<WebhookService> {
  const faults = new Faults(options);
  const model = createWebhookModel();
  const routes = routesOf(await readBundledDescription('webhooks.v1'));
  const operations = webhookOperations(model);
  const calls: string[] = [];
  const dispatcher = createEventDispatcher(model);

  function answer(request: FastifyRequest): Reply {
    const match = matchRoute(routes, request.method, request.raw.url ?? '/');
    const operation = match.kind === 'found' ? operations[match.method.id] : undefined;
    if (match.kind === 'none') return refusal(404, 'Not found');
    const key = keyOf(request, options);
    if (key === undefined) return refusal(403, 'Forbidden');
    if (match.kind === 'invalid') return refusal(400, match.reason);
    if (operation === undefined) return refusal(404, 'Not found');
    calls.push(match.method.id);
    if (key.permissions?.includes(operation.permission) === false) return refusal(403, 'Forbidden');
    return perform(operation, match, request, options);
  }

  const app = createServer(BODY_LIMIT, LISTED_ERRORS);
  addFaults(app, faults, LISTED_ERRORS);
  app.setErrorHandler<Error & { statusCode?: number }>(async (error, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ errors: [error.message] }),
  );
  app.post(EVENTS_PATH, async (request, reply) => {
    const given = header(request, options, 'api-key');
    const known = options.keys?.some(({ apiKey }) => apiKey === given) ?? given !== '';
    const [status, body] = known ? dispatcher.accept(readBody(request.body)) : refusal(403, 'Forbidden');
    return reply.code(status).type('application/json').send(JSON.stringify(body));
  });
  app.all('/*', async (request, reply) => {
    const [status, body] = answer(request);
    return reply.code(status).type('application/json').send(JSON.stringify(body));
  });
  const service = await listen(app, 'The local webhook-integration service', options);
  return {
    ...service,
    faults,
    snapshot: () => ({
      webhooks: model.webhooks.all(),
      variables: model.variables.all(),
      calls: [...calls],
      events: dispatcher.events(),
      called: dispatcher.called(),
    }),
    async close() {
      await service.close();
      await dispatcher.settled();
    },
  };
}

function perform(
  operation: WebhookOperation,
  { method, parameters }: Extract<RouteMatch, { kind: 'found' }>,
  request: FastifyRequest,
  { extraKeys }: WebhookServiceOptions,
): Reply {
  // Only methods with a request schema read a body: a deletion is never a bad request.
  const body = method.request === undefined ? {} : readBody(request.body);
  if (body === undefined) return refusal(400, 'Invalid JSON');
  const outcome = operation.run({ parameters, body });
  if (outcome.kind !== 'ok') return refusal(outcome.kind === 'not-found' ? 404 : 400, outcome.error);
  return [operation.status, { ...(request.method === 'DELETE' ? {} : extraKeys), ...outcome.body }];
}

/** The key of a request; `undefined` when it is not an accepted one. */
function keyOf(request: FastifyRequest, options: WebhookServiceOptions): WebhookKey | undefined {
  const apiKey = header(request, options, 'api-key');
  const applicationKey = header(request, options, 'application-key');
  if (apiKey === '' || applicationKey === '') return undefined;
  if (options.keys === undefined) return { apiKey, applicationKey };
  return options.keys.find((key) => key.apiKey === apiKey && key.applicationKey === applicationKey);
}

function header({ headers }: FastifyRequest, options: WebhookServiceOptions, name: string): string {
  const { headerPrefix = 'SVC' } = options;
  const value = headers[`${headerPrefix.toLowerCase()}-${name}`];
  return typeof value === 'string' ? value : '';
}

/** The JSON object in a body; `undefined` when the body is something else. */
function readBody(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const parsed = jsonValue(String(body));
  return isObject(parsed) ? parsed : undefined;
}

function refusal(status: number, error: string): Reply {
  return [status, { errors: [error] }];
}

/** Accepts events and calls the webhooks that they mention. */
function createEventDispatcher(model: WebhookModel) {
  const events: PlatformEvent[] = [];
  const called: WebhookCall[] = [];
  const active = new Set<Promise<void>>();

  async function call(name: string, event: PlatformEvent): Promise<void> {
    const webhook = model.webhooks.all().find((one) => one.name === name);
    if (webhook === undefined) return;
    called.push(await callWebhook(webhook, model.variables.all(), variablesOf(event)));
  }

  return {
    accept(body: Readonly<Record<string, unknown>> | undefined): Reply {
      const event = body === undefined ? 'Invalid JSON' : readEvent(body, events.length + 1);
      if (typeof event === 'string') return refusal(400, event);
      events.push(event);
      // Like the platform, answers before the calls are made.
      for (const name of mentionsIn(event)) {
        const work = call(name, event);
        active.add(work);
        void work.finally(() => active.delete(work));
      }
      return [202, { status: 'ok', event: { id: Number(event.id), title: event.title, text: event.text } }];
    },
    events: () => [...events],
    called: () => [...called],
    /** Resolves when no call is active. */
    settled: async () => void (await Promise.all(active)),
  };
}

/** Permissions of an application key (webhook-integration API, "Endpoints"). */
export type Permission = 'create_webhooks' | 'integrations_read' | 'manage_integrations';

interface WebhookRequest {
  /** Path parameters, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
}

interface WebhookOperation {
  /** The platform's status for success (field notes). */
  readonly status: 200 | 201;
  readonly permission: Permission;
  run(request: WebhookRequest): Outcome;
}

/** The eight operations by method id. */
function webhookOperations(model: WebhookModel): Readonly<Record<string, WebhookOperation>> {
  return {
    ...operationsOn('definitions', model.webhooks, 'webhook_name', 'create_webhooks'),
    ...operationsOn('customVariables', model.variables, 'custom_variable_name', 'manage_integrations'),
  };
}

function operationsOn<Item extends { readonly name: string }>(
  resource: string,
  items: Collection<Item>,
  parameter: string,
  creating: Permission,
): Readonly<Record<string, WebhookOperation>> {
  const nameIn = ({ parameters }: WebhookRequest) => parameters.get(parameter) ?? '';
  const [id, read, manage] = [`webhooks.${resource}`, 'integrations_read', 'manage_integrations'] as const;
  return {
    [`${id}.create`]: { status: 201, permission: creating, run: ({ body }) => items.create(body) },
    [`${id}.get`]: { status: 200, permission: read, run: (call) => items.get(nameIn(call)) },
    [`${id}.update`]: {
      status: 200,
      permission: manage,
      run: (call) => items.update(nameIn(call), call.body),
    },
    [`${id}.delete`]: { status: 200, permission: manage, run: (call) => items.delete(nameIn(call)) },
  };
}
