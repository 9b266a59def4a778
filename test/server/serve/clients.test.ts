import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import createClient from 'openapi-fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFleetStore } from '../../../src/compose/fleet-store.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createApiClient } from '../../../src/discovery/client.ts';
import type { RestDescription } from '../../../src/discovery/description/description.ts';
import { findMethod, methodsOf } from '../../../src/discovery/description/methods.ts';
import type { Params } from '../../../src/discovery/request/request-parameters.ts';
import { createHttpClient } from '../../../src/http/undici-client.ts';
import { checkAgainstSchema } from '../../discovery/check-against-schema.ts';
import { npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { openServeRoom } from './serve-room.ts';

interface Sample {
  readonly params?: Params;
  readonly body?: object;
  /** Default 200. */
  readonly status?: number;
}

const target = 'org/shop';
const source = { kind: 'git', repositories: ['https://git.example/a.git'] };
const payload = { job: 'ingest-lockfiles', id: 'bad' };

/**
 * Calls of operations, in an order in which all succeed where one server is enough. Other
 * reads are called before, without parameters.
 */
const SAMPLES: Readonly<Record<string, Sample>> = {
  'lockhound.fleet.trend': { params: { days: 7 } },
  'lockhound.targets.list': { params: { label: ['team=web'], orderBy: 'target', incomplete: false } },
  'lockhound.targets.get': { params: { target } },
  'lockhound.exceptions.list': { params: { target, kind: ['override'], verdict: ['removable'] } },
  'lockhound.findings.exposure': { params: { advisory: 'GHSA-lodash' } },
  'lockhound.findings.breakdown': { params: { by: 'label:team', severity: 'low' } },
  'lockhound.dossiers.get': { params: { subject: 'GHSA-lodash', stage: 'final', limit: 5 } },
  'lockhound.targets.history': { params: { target, pageSize: 1 } },
  'lockhound.targets.blame': { params: { target, package: 'ms' } },
  'lockhound.targets.inventory': { params: { target, pageSize: 1 } },
  'lockhound.findings.list': {
    params: { severity: 'high', rule: ['vulnerability', 'vanished'], label: ['team=web'] },
  },
  'lockhound.findings.issues': { params: { limit: 5, orderBy: 'changedAt' } },
  'lockhound.findings.count': { params: { package: 'pkg:npm/ms', advisory: 'GHSA-ms' } },
  'lockhound.findings.report': { params: { format: 'none' }, status: 400 },
  'lockhound.findings.get': { params: { target, fingerprint: 'org/shop/ms@1.0.0/high' } },
  'lockhound.changes.list': { params: { since: '1d', target } },
  'lockhound.packages.where': { params: { package: 'ms', limit: 5 } },
  'lockhound.packages.versions': { params: { package: 'ms' } },
  'lockhound.packages.check': { body: { packages: ['ms@1.0.0', 'ms@1.0.0'], ecosystem: 'npm', target } },
  'lockhound.policies.test': { body: { path: 'new.yaml', text: 'policy: {}' } },
  'lockhound.packages.simulate': { params: { package: 'ms', range: '<2', severity: 'high' } },
  'lockhound.targets.report': { params: { target, since: 'last-change', format: 'none' }, status: 400 },
  'lockhound.scans.submit': {
    body: { target, lockfiles: [{ path: 'package-lock.json', content: '{}' }], scan: 's1' },
    status: 202,
  },
  'lockhound.scans.list': { params: { state: ['queued'] } },
  'lockhound.scans.get': { params: { scan: 's1' } },
  'lockhound.scans.report': { params: { scan: 's1', format: 'sarif' }, status: 404 },
  'lockhound.deliveries.list': { params: { state: ['failed', 'held'] } },
  'lockhound.deliveries.get': { params: { delivery: 'none' }, status: 404 },
  'lockhound.deliveries.retry': { params: { delivery: ['none'] } },
  'lockhound.deliveries.resume': { params: { route: 'none' }, status: 404 },
  'lockhound.schedules.add': {
    params: { replace: true },
    body: { name: 'nightly', source, target: 'org/a', every: '1d' },
  },
  'lockhound.schedules.get': { params: { schedule: 'nightly' } },
  'lockhound.schedules.pause': { params: { schedule: 'nightly' } },
  'lockhound.schedules.resume': { params: { schedule: 'nightly' } },
  'lockhound.schedules.run': { params: { schedule: 'nightly' } },
  'lockhound.schedules.forget': { params: { schedule: 'nightly', target: 'none' }, status: 404 },
  'lockhound.schedules.remove': { params: { schedule: 'nightly' } },
  'lockhound.rejected.list': { params: { limit: 3 } },
  'lockhound.rejected.get': { params: payload },
  'lockhound.rejected.retry': { params: payload, body: {} },
  'lockhound.rejected.drop': { params: payload },
  'lockhound.rejected.retryAll': {},
  'lockhound.rejected.dropAll': {},
  'lockhound.suppressions.add': {
    body: { reason: 'not reachable', target, rule: 'deprecated', all: true, expires: '30d' },
  },
  'lockhound.suppressions.import': { body: { path: 'a.json', text: '{}' }, status: 400 },
  'lockhound.suppressions.list': { params: { removed: true } },
  'lockhound.suppressions.remove': { params: { suppression: 'none' }, status: 404 },
  'lockhound.findings.assign': { body: { issues: ['0'.repeat(16)] } },
  'lockhound.targets.acceptCorrections': { params: { author: 'sam' }, status: 409 },
  'lockhound.targets.forget': { params: { target } },
  'lockhound.tokens.revoke': { params: { token: 'none' }, status: 404 },
  'lockhound.session.create': { body: { token: 'none' }, status: 401 },
  'lockhound.session.delete': {},
  // From then on a token is needed.
  'lockhound.tokens.create': { body: { name: 'ci', role: 'read', targets: ['org/*'], expires: '1d' } },
};

describe.each(['discovery', 'OpenAPI'] as const)('a client by the %s document', (kind) => {
  let room: Awaited<ReturnType<typeof openServeRoom>>;
  let url: string;
  let document: RestDescription;
  beforeAll(async () => {
    room = await openServeRoom();
    const findings = [tracked(target, 'ms@1.0.0', 'high')];
    await room.fleets[0]?.save(target, [npmFile('package-lock.json', ['ms@1.0.0', 'a@1'])], {
      findings,
      labels: { team: 'web' },
    });
    const store = await openFleetStore(loadConfig({ environment: room.environment }));
    const issues = [{ path: '$', reason: 'wrong' }];
    await store.shards[0]?.rejected.add({ ...payload, at: new Date().toISOString(), issues, data: '{}' });
    await store.close();
    // Nothing answers about packages there.
    url = (await room.serve({ LOCKHOUND_INSIGHTS_URL: 'http://127.0.0.1:9' })).server.url;
    const { items } = (await (await fetch(`${url}/discovery/v1/apis`)).json()) as {
      readonly items: readonly [{ readonly discoveryRestUrl: string }];
    };
    document = (await (await fetch(items[0].discoveryRestUrl)).json()) as RestDescription;
  });
  afterAll(() => room.close());

  it('does every operation', async () => {
    const call = kind === 'discovery' ? discoveryClient(document) : await openApiClient(url);
    const methods = methodsOf(document);
    const sampled = Object.keys(SAMPLES);
    // The stream never ends.
    const reads = methods.filter(({ id, httpMethod }) => httpMethod === 'GET' && !/events/.test(id));
    const others = reads.map(({ id }) => id).filter((id) => !sampled.includes(id));
    expect([...others, ...sampled, 'lockhound.events.stream'].sort()).toEqual(
      methods.map(({ id }) => id).sort(),
    );
    for (const id of [...others, ...sampled]) {
      const { status = 200, ...sample } = SAMPLES[id] ?? {};
      const answer = await call(id, sample);
      expect([id, answer.status, answer.status === status ? '' : answer.value]).toEqual([id, status, '']);
      const { response } = findMethod(document, id);
      if (status > 299 || response === undefined) continue;
      expect([id, checkAgainstSchema(document, response, answer.value, id)]).toEqual([id, []]);
    }
  });
});

type Call = (id: string, sample: Sample) => Promise<{ readonly status: number; readonly value: unknown }>;

function discoveryClient(document: RestDescription): Call {
  const client = createApiClient({ document, http: createHttpClient() });
  return async (id, sample) => {
    const { status, content } = await client.call(id, sample);
    return { status, value: content.kind === 'json' ? content.value : content };
  };
}

interface OpenApi {
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: object;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name?: string; readonly in?: 'path' | 'query' }[];
  readonly responses: Readonly<Record<string, Reference | OpenApiResponse>>;
}

interface Reference {
  readonly $ref: string;
}

interface OpenApiResponse {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

/** Calls by the OpenAPI document. Expects that it describes the status, the type, the headers and the content of each answer. */
async function openApiClient(url: string): Promise<Call> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
  const { servers, paths } = document;
  const client = createClient<Record<string, never>>({ baseUrl: servers[0].url });
  const expectDescribed = responseCheck(document);
  return async (id, { params = {}, body }) => {
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.operationId !== id) continue;
        const placed = (place: 'path' | 'query') =>
          Object.fromEntries(
            operation.parameters.flatMap(({ name = '', in: own }) =>
              own === place && name in params ? [[name, params[name]]] : [],
            ),
          );
        const init = { params: { path: placed('path'), query: placed('query') }, ...(body && { body }) };
        const { response, data, error } = await client.request(method as never, path as never, init as never);
        expectDescribed(operation, response, data ?? error);
        return { status: response.status, value: data ?? error };
      }
    }
    throw new RangeError(id);
  };
}

function responseCheck(document: OpenApi) {
  const ajv = formats.default(new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }));
  // The types of numbers in discovery documents.
  for (const name of ['google-datetime', 'uint32', 'int64', 'binary']) ajv.addFormat(name, true);
  ajv.addKeyword('openapi').addKeyword('info').addKeyword('servers').addKeyword('tags').addKeyword('paths');
  ajv.addKeyword('security').addKeyword('components').addSchema(document, 'api');
  const responses = (document.components as { readonly responses: Record<string, OpenApiResponse> })
    .responses;
  return ({ operationId, responses: own }: OpenApiOperation, response: Response, value: unknown): void => {
    const described = own[String(response.status)];
    if (described === undefined) throw new RangeError(`${operationId} does not describe ${response.status}`);
    const { headers, content } = '$ref' in described ? at(responses, described) : described;
    for (const name of Object.keys(headers)) {
      if (/^(?:Idempotency-Replayed|Retry-After)$/.test(name)) continue;
      expect([operationId, name, response.headers.has(name)]).toEqual([operationId, name, true]);
    }
    const [type = ''] = response.headers.get('content-type')?.split(';') ?? [];
    const { schema } = content[type] ?? {};
    if (schema === undefined) throw new RangeError(`${operationId} does not describe ${type}`);
    const check: ValidateFunction = ajv.compile(localSchema(schema));
    expect([operationId, check(value), check.errors ?? []]).toEqual([operationId, true, []]);
  };
}

function at(responses: Readonly<Record<string, OpenApiResponse>>, { $ref }: Reference): OpenApiResponse {
  const found = responses[$ref.replace('#/components/responses/', '')];
  if (found === undefined) throw new RangeError($ref);
  return found;
}

function localSchema(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
}
