import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import type { ApiClient } from '../../src/discovery/client.ts';
import { methodsOf } from '../../src/discovery/description/methods.ts';
import { type InsightsData, readBundledData } from '../../src/embedded/insights/data-set.ts';
import {
  type InsightsService as LocalService,
  startInsightsService,
} from '../../src/embedded/insights/service.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { createBatches } from '../../src/insights/batch/operations.ts';
import * as operations from '../../src/insights/operations.ts';
import { createInsightsService, type InsightsService } from '../../src/insights/service.ts';
import { checkAgainstSchema } from '../discovery/check-against-schema.ts';
import { openInsightsApi } from './fake-service.ts';
import { OPERATION_SAMPLES } from './operation-samples.ts';

const document = await readBundledDescription('insights.v3alpha');
const methods = methodsOf(document);
const signal = new AbortController().signal;
const http = createHttpClient();
let local: LocalService;
let api: ApiClient;
let service: InsightsService;

/** One version of each system in addition to the bundled data, because each has another shape of requirements. */
const MORE: InsightsData['packages'] = [
  {
    system: 'MAVEN',
    name: 'org.example:core',
    versions: [{ version: '1.0', dependencies: { 'org.example:api': '2.0' } }],
  },
  {
    system: 'NUGET',
    name: 'example.core',
    versions: [{ version: '1.0.0', dependencies: { 'example.api': '[2.0, )' } }],
  },
  {
    system: 'RUBYGEMS',
    name: 'example',
    versions: [{ version: '1.0.0', dependencies: { api: '~> 2.0' }, devDependencies: { rake: '>= 0' } }],
  },
  { system: 'PYPI', name: 'annotated-types', default: '0.7.0', versions: [{ version: '0.7.0' }] },
];

beforeAll(async () => {
  const data = await readBundledData();
  local = await startInsightsService({ data: { ...data, packages: [...data.packages, ...MORE] } });
  api = await openInsightsApi(http, local.url);
  service = createInsightsService(api);
});
afterAll(async () => {
  await http.close();
  await local.close();
});

describe('calls that use only the description document', () => {
  test('names every method of the document', () => {
    expect(Object.keys(OPERATION_SAMPLES)).toEqual(methods.map(({ id }) => id));
  });

  test.each(methods)('$id is performed, and its answer fits', async ({ id, response }) => {
    const { params, body, holds } = OPERATION_SAMPLES[id] ?? {};
    const answer = await api.call(id, { ...(params && { params }), ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBe(200);
    if (answer.content.kind !== 'json') return expect.unreachable();
    expect(answer.content.value).toMatchObject(holds as object);
    expect(checkAgainstSchema(document, response ?? '', answer.content.value)).toEqual([]);
  });
});

describe('the operations against the local service', () => {
  test.each([
    [
      'MAVEN',
      'org.example:core',
      '1.0',
      { maven: { dependencies: [{ name: 'org.example:api', version: '2.0' }] } },
    ],
    [
      'NUGET',
      'Example.Core',
      '1.0.0',
      { nuget: { dependencyGroups: [{ dependencies: [{ name: 'example.api', requirement: '[2.0, )' }] }] } },
    ],
    [
      'RUBYGEMS',
      'example',
      '1.0.0',
      { rubygems: { runtimeDependencies: [{ name: 'api' }], devDependencies: [{ name: 'rake' }] } },
    ],
    [
      'NPM',
      'express',
      '4.17.1',
      {
        npm: {
          dependencies: {
            dependencies: expect.arrayContaining([{ name: 'accepts', requirement: '~1.3.7' }]),
          },
        },
      },
    ],
  ] as const)('requirements of %s', async (system, name, version, expected) => {
    const { value, problems } = (await operations.getRequirements(
      service,
      { system, name, version },
      { signal },
    )) as { value: object; problems: unknown };
    expect(value).toMatchObject(expected);
    expect(Object.keys(value)).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('a Go module with capitals is found by its purl through its name', async () => {
    const purl = 'pkg:golang/lantern.example/Shelf/labels';
    const version = await operations.purlLookup(service, `${purl}@v1.2.0`, { signal });
    expect(version.value?.version?.versionKey?.name).toBe('lantern.example/Shelf/labels');
    expect(JSON.parse(version.error === undefined ? version.body.toString() : '')).toEqual(
      version.error === undefined && version.raw,
    );
    const named = await operations.purlLookup(service, purl, { signal });
    expect(named.value?.package?.versions).toHaveLength(1);
    expect((await operations.purlLookup(service, `${purl}@v9.9.9`, { signal })).error?.code).toBe(
      'not-found',
    );
    for await (const { value } of createBatches(service).purls([`${purl}@v1.2.0`], { signal })) {
      expect(value?.version?.licenses).toEqual(['MIT']);
    }
  });

  test('a batch echoes normalised requests; answers keep their places', async () => {
    const keys = ['Annotated_Types', 'annotated-types', 'nothing'].map(
      (name) => ({ system: 'PYPI', name, version: '0.7.0' }) as const,
    );
    const raw = await api.call('insights.getVersionBatch', {
      body: { requests: keys.map((versionKey) => ({ versionKey })) },
    });
    expect(raw.content).toMatchObject({
      value: {
        responses: [
          { request: { versionKey: { name: 'Annotated_Types' } } },
          { request: { versionKey: { name: 'Annotated_Types' } } },
          { request: { versionKey: { name: 'nothing' } } },
        ],
        nextPageToken: '',
      },
    });
    const entries = [];
    for await (const entry of createBatches(service).versions(keys, { signal })) entries.push(entry);
    expect(
      entries.map(({ request, missing, value }) => [request.name, missing ?? value?.versionKey?.name]),
    ).toEqual([
      ['Annotated_Types', 'annotated-types'],
      ['annotated-types', 'annotated-types'],
      ['nothing', true],
    ]);
  });

  test('a request for a page returns it with the token of the next one', async () => {
    local.pageSize = 1;
    const requests = ['ms', 'lodash'].map((name) => ({
      purl: `pkg:npm/${name}@${name === 'ms' ? '2.1.2' : '4.17.20'}`,
    }));
    const first = await operations.purlLookupBatch(service, { requests }, { signal });
    const pageToken = first.value?.nextPageToken ?? '';
    expect(first.value?.responses).toHaveLength(1);
    const second = await operations.purlLookupBatch(service, { requests, pageToken }, { signal });
    local.pageSize = 100;
    expect(second.value).toMatchObject({ responses: [{ request: requests[1] }], nextPageToken: '' });
  });

  test('counts dependents from graphs', async () => {
    const key = { system: 'NPM', name: 'ms', version: '2.0.0' } as const;
    const { value } = await operations.getDependents(service, key, { signal });
    const { dependentCount = 0, directDependentCount = 0, indirectDependentCount = 0 } = value ?? {};
    expect(directDependentCount).toBeGreaterThan(0);
    expect(indirectDependentCount).toBeGreaterThan(directDependentCount);
    expect(dependentCount).toBeLessThanOrEqual(directDependentCount + indirectDependentCount);
    const unknown = await operations.getDependents(service, { ...key, version: '0.0.0' }, { signal });
    expect(unknown.error).toMatchObject({ code: 'not-found' });
  });
});
