import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { type ApiClient, createApiClient } from '../../src/discovery/client.ts';
import type { HttpClient } from '../../src/http/client.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { createInsights, type InsightsOptions } from '../../src/insights/insights.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import type { Insights } from '../../src/model/ports/insights.ts';
import type { Cache } from '../../src/model/ports/shared-state.ts';

/** A received request. */
export interface Call {
  readonly path: string;
  readonly entries: number;
  readonly pageToken: string | undefined;
  /** Number of concurrent requests when this one arrived, including itself. */
  readonly overlap: number;
}

export interface Behaviour {
  /** Entries on a page; changes when a test changes it. */
  pageSize: number;
  latencyMs: number;
  /** Awaited before a request is answered. */
  hold?: (call: Call) => Promise<void>;
  /** Entries that the service refuses, and the whole batch with them. */
  readonly poison: Set<string>;
  readonly missing: Set<string>;
  /** Ecosystems for which the service fails. */
  readonly failing: Set<string>;
  /** Answers instead of the service when it returns true. */
  override?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

interface BatchBody {
  readonly requests: { purl?: string; versionKey?: { system: string; name: string; version: string } }[];
  readonly pageToken?: string;
}

/** A `hold` that lets requests of at most `entries` pass when `count` of them are open at the same time. */
export function untilOpen(count: number, entries: number): (call: Call) => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  return async (call) => {
    if (call.entries > entries) return;
    if (call.overlap === count) resolve();
    await promise;
  };
}

/** The API client of the bundled document, for a service on loopback. */
export async function openInsightsApi(http: HttpClient, rootUrl: string): Promise<ApiClient> {
  const document = await readBundledDescription('insights.v3alpha');
  return createApiClient({ document, http, rootUrl, readOnly: true });
}

/** A small package-insights service on loopback, and an `Insights` that uses it. */
export async function startFakeService(options: Partial<InsightsOptions> = {}) {
  const behaviour: Behaviour = {
    pageSize: 100,
    latencyMs: 0,
    poison: new Set(),
    missing: new Set(),
    failing: new Set(),
  };
  const calls: Call[] = [];
  let open = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    const overlap = open;
    const text = await readText(request);
    const body: BatchBody | undefined = text === '' ? undefined : JSON.parse(text);
    const path = request.url ?? '';
    const call = { path, entries: body?.requests.length ?? 0, pageToken: body?.pageToken, overlap };
    calls.push(call);
    await behaviour.hold?.(call);
    if (behaviour.latencyMs > 0) await sleep(behaviour.latencyMs);
    open -= 1;
    if (behaviour.override?.(request, response) === true) return;
    if (body === undefined) return void response.writeHead(404).end('version not found');
    answerBatch(behaviour, path, body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rootUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttpClient({
    retry: { attempts: 2, baseMs: 1, longestWaitMs: 50 },
    headersTimeoutMs: 3_000,
  });
  const api = await openInsightsApi(http, rootUrl);
  const cache = createMemoryCache();
  const insights: Insights = createInsights({
    api,
    cache,
    recordTtlMs: 1000,
    missTtlMs: 10,
    ...options,
  });
  const stopServer = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    behaviour,
    calls,
    cache,
    insights,
    rootUrl,
    stopServer,
    async close() {
      await http.close();
      await stopServer();
    },
  };
}

function answerBatch(behaviour: Behaviour, path: string, body: BatchBody, response: ServerResponse): void {
  const names = body.requests.map(({ purl, versionKey }) => purl ?? versionKey?.name ?? '');
  if (names.length > 5000 || names.some((name) => behaviour.poison.has(name))) {
    return void response.writeHead(400, { 'content-type': 'text/plain' }).end('invalid request');
  }
  if (names.some((name) => behaviour.failing.has(/^pkg:(\w+)/.exec(name)?.[1] ?? ''))) {
    return void response.writeHead(500, { 'content-type': 'text/plain' }).end('a shard is down');
  }
  const start = Number(body.pageToken ?? 0);
  const end = Math.min(start + behaviour.pageSize, names.length);
  const responses = body.requests.slice(start, end).map((request, index) => {
    const version = behaviour.missing.has(names[start + index] ?? '') ? undefined : versionFor(request);
    return path.endsWith('purlbatch')
      ? { request, ...(version === undefined ? {} : { result: { version } }) }
      : { request, ...(version === undefined ? {} : { version }) };
  });
  const nextPageToken = end < names.length ? String(end) : '';
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ responses, nextPageToken }));
}

function versionFor({ purl, versionKey }: BatchBody['requests'][number]) {
  const [, type = '', name = '', version = ''] = /^pkg:(\w+)\/(.+)@(.+)$/.exec(purl ?? '') ?? [];
  const system = type === 'golang' ? 'GO' : type.toUpperCase();
  return {
    versionKey: versionKey ?? { system, name: decodeURIComponent(name), version },
    publishedAt: '2026-01-01T00:00:00Z',
    isDefault: false,
    isDeprecated: false,
    deprecatedReason: '',
    licenses: ['MIT'],
    advisoryKeys: [{ id: 'GHSA-aaaa-bbbb-cccc' }],
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Stores values with their time to live. `failing` makes every call fail. */
export function createMemoryCache() {
  const entries = new Map<string, { value: unknown; ttlMs: number }>();
  const state = { failing: false };
  const cache: Cache = {
    async getMany(kind, keys) {
      if (state.failing) throw new Error('the cache is gone');
      return keys.map((key) => entries.get(`${kind}|${key}`)?.value);
    },
    async setMany(kind, values, ttlMs) {
      if (state.failing) throw new Error('the cache is gone');
      for (const [key, value] of values) entries.set(`${kind}|${key}`, { value, ttlMs });
    },
  };
  return Object.assign(cache, { entries, state });
}

/** By default an npm package of the public registry. */
export function locked(name: string, changes: Partial<LockedPackage> = {}): LockedPackage {
  const version = changes.version ?? '1.0.0';
  const ecosystem = changes.ecosystem ?? 'npm';
  return {
    id: `${name}@${version}`,
    ecosystem,
    name,
    version,
    purl: `pkg:${ecosystem}/${name.replace('@', '%40')}@${version}`,
    direct: undefined,
    groups: [],
    integrity: [],
    source: { kind: 'registry' },
    line: undefined,
    dependencies: undefined,
    ...changes,
  };
}

export function manyLocked(count: number): LockedPackage[] {
  return Array.from({ length: count }, (_, index) => locked(`package-${index}`));
}
