import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, htmlAnswer } from '../../src/embedded/faults.ts';
import type { InsightsData } from '../../src/embedded/insights/data-set.ts';
import { type InsightsService as Local, startInsightsService } from '../../src/embedded/insights/service.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { answerOf } from '../../src/insights/answered.ts';
import { createBatches } from '../../src/insights/batch/operations.ts';
import * as operations from '../../src/insights/operations.ts';
import { createInsightsService } from '../../src/insights/service.ts';
import { openInsightsApi } from './fake-service.ts';

const http = createHttpClient({ retry: { attempts: 1, baseMs: 1, longestWaitMs: 1 } });
const signal = new AbortController().signal;
const options = { signal };
const A = { system: 'PYPI', name: 'a' } as const;
const DATA: InsightsData = {
  packages: [
    {
      system: 'PYPI',
      name: 'a',
      default: '2.0.0',
      findings: [{ type: 'NEWER_TYPE', risk: 'RISK_NEWER', newerContext: {} }],
      versions: [
        { version: '1.0.0', deprecated: 'use b', dependencies: { b: '<2' } },
        { version: '2.0.0', cooldown: { end: '2999-01-01T00:00:00Z' } },
      ],
    },
  ],
  advisories: [
    {
      id: 'MAL-2026-1',
      title: 'Malware',
      aliases: [],
      heldBack: false,
      affected: [{ system: 'PYPI', name: 'a', range: '1.0.0' }],
    },
  ],
};
let local: Local;
let requests: number;

beforeAll(async () => {
  local = await startInsightsService({ data: DATA });
});
afterEach(() => local.faults.clear());
afterAll(async () => {
  await http.close();
  await local.close();
});

async function client() {
  return createInsightsService(await openInsightsApi(http, local.url));
}

/** Every request for a path gets this answer, and is counted. */
function answering(fault: Fault, path: RegExp): void {
  requests = 0;
  const when = ({ url }: { readonly url: string }) => {
    if (!path.test(url)) return false;
    requests += 1;
    return true;
  };
  local.faults.inject(fault, { every: 1, when });
}

const LACKS: readonly (readonly [string, Fault])[] = [
  ['plain text', { kind: 'answer', status: 404 }],
  ['the page of a proxy', htmlAnswer(404)],
  ['nothing', { kind: 'answer', status: 404, body: '' }],
];

describe('findings', () => {
  test('of a package and of versions, with types and risks that are newer', async () => {
    const service = await client();
    const ofPackage = await operations.getFindings(service, A, options);
    expect(ofPackage).toMatchObject({
      problems: [],
      value: { packageKey: A, packageFindings: [{ type: 'NEWER_TYPE', risk: 'RISK_NEWER' }] },
    });
    const entries = [];
    const asked = [A, { ...A, version: '1.0' }, { ...A, version: '9.0.0' }, { ...A, name: 'none' }];
    local.pageSize = 2;
    for await (const entry of createBatches(service).findings(asked, options)) entries.push(entry);
    local.pageSize = 100;
    expect(entries.map(({ value }) => value?.requestedVersion?.findings?.map(({ type }) => type))).toEqual([
      undefined,
      ['NEWER_TYPE', 'MALICIOUS', 'DEPRECATED'],
      ['NOT_FOUND'],
      undefined,
    ]);
    expect(entries[0]?.value?.defaultVersion).toMatchObject({
      cooldownEnd: '2999-01-01T00:00:00Z',
      findings: [{}, { type: 'COOLDOWN', cooldownContext: { end: '2999-01-01T00:00:00Z' } }],
    });
    expect(entries[3]?.value).toMatchObject({ packageFindings: [{ type: 'NOT_FOUND' }] });
  });

  test('a partial data set does not say that something is not there', async () => {
    const partial = await startInsightsService({ data: { ...DATA, partial: true } });
    const service = createInsightsService(await openInsightsApi(http, partial.url));
    const { value } = await operations.getFindings(service, { ...A, name: 'none' }, options);
    await partial.close();
    expect(value).toMatchObject({ packageFindings: [], 'lockhound:uncovered': true });
  });

  test.each(LACKS)('a service without them is asked once (404 with %s)', async (_how, fault) => {
    const service = await client();
    answering(fault, /findings/);
    const many = Array.from({ length: 20 }, () => operations.getFindings(service, A, options));
    for (const { error } of await Promise.all(many)) expect(error).toMatchObject({ code: 'unsupported' });
    const entries = [];
    for await (const entry of createBatches(service).findings([A, A], options)) entries.push(entry);
    expect(entries.map(({ error }) => error?.code)).toEqual(['unsupported', 'unsupported']);
    expect(requests).toBe(1);
    expect((await operations.getPackage(service, A, options)).value).toMatchObject({ packageKey: A });
  });

  test.each<readonly [string, Fault, string]>([
    ['500', { kind: 'answer', status: 500 }, 'unavailable'],
    ['the page of a proxy', htmlAnswer(200), 'contract'],
    [
      'a list',
      { kind: 'answer', status: 200, body: '[]', headers: { 'content-type': 'application/json' } },
      'contract',
    ],
    ['no connection', { kind: 'drop' }, 'unavailable'],
  ])('%s does not say that a service has none', async (_how, fault, code) => {
    const service = await client();
    answering(fault, /findings/);
    expect((await operations.getFindings(service, A, options)).error?.code).toBe(code);
    local.faults.clear();
    expect((await operations.getFindings(service, A, options)).value).toMatchObject({ packageKey: A });
  });

  test('what has another form is left out, and said', async () => {
    const service = await client();
    const body = '{"packageKey":{"system":"PYPI","name":"a"},"packageFindings":[{"type":7},5,{"type":"X"}]}';
    answering(
      { kind: 'answer', status: 200, body, headers: { 'content-type': 'application/json' } },
      /findings/,
    );
    const { value, problems } = answerOf(await operations.getFindings(service, A, options));
    expect(value.packageFindings).toEqual([{}, {}, { type: 'X' }]);
    expect(problems).toHaveLength(2);
  });

  test('an answer about another package is no answer', async () => {
    const service = await client();
    const body = JSON.stringify({
      responses: [{ request: { packageKey: A }, findings: { packageKey: { ...A, name: 'other' } } }],
      nextPageToken: '',
    });
    answering(
      { kind: 'answer', status: 200, body, headers: { 'content-type': 'application/json' } },
      /batch/,
    );
    for await (const { error } of createBatches(service).findings([A], options)) {
      expect(error).toMatchObject({ code: 'contract' });
    }
  });
});

describe('requirements that are newer than the specification', () => {
  const key = { ...A, version: '1.0.0' };

  test.each(LACKS)('a service without them is asked once (404 with %s)', async (_how, fault) => {
    const service = await client();
    answering(fault, /requirements/);
    const codes = [];
    for (let round = 0; round < 4; round += 1) {
      codes.push((await operations.getRequirements(service, key, options)).error?.code);
    }
    expect(codes).toEqual(Array(4).fill('unsupported'));
    expect(requests).toBe(1);
    // Those of other systems are asked for.
    const other = await operations.getRequirements(service, { ...key, system: 'RUBYGEMS' }, options);
    expect([other.error?.code, requests]).toEqual([
      fault.kind === 'answer' && fault.body === undefined ? 'not-found' : 'refused',
      2,
    ]);
  });

  test('a version without them says nothing of others, until several have none', async () => {
    const service = await client();
    const miss = () => operations.getRequirements(service, { ...key, version: '9.0.0' }, options);
    expect((await miss()).error?.code).toBe('not-found');
    expect((await operations.getRequirements(service, key, options)).value).toMatchObject({
      pypi: { dependencies: [{ projectName: 'b', versionSpecifier: '<2' }] },
    });
    for (let round = 0; round < 5; round += 1) expect((await miss()).error?.code).toBe('not-found');
    const without = await client();
    answering({ kind: 'answer', status: 404, body: 'version not found' }, /requirements/);
    const codes = [];
    for (let round = 0; round < 5; round += 1) {
      codes.push((await operations.getRequirements(without, key, options)).error?.code);
    }
    expect(codes).toEqual(['not-found', 'not-found', 'not-found', 'unsupported', 'unsupported']);
    expect(requests).toBe(3);
  });
});
