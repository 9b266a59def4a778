import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { compileAnswerCheck } from '../../src/insights/answer-check.ts';
import type { ContractProblem } from '../../src/insights/answered.ts';
import { createBatches } from '../../src/insights/batch/operations.ts';
import { purlLookupBatch } from '../../src/insights/operations.ts';
import { readAdvisory } from '../../src/insights/records/advisory.ts';
import { readDependencyGraph } from '../../src/insights/records/dependencies.ts';
import { readVersionRecord } from '../../src/insights/records/version-record.ts';
import { createInsightsService } from '../../src/insights/service.ts';
import { openInsightsApi, startFakeService } from './fake-service.ts';

const folder = path.join(
  process.env['LOCKHOUND_CORPORA'] ?? path.resolve(import.meta.dirname, '../../../shared/corpora'),
  'insights',
);

const document = await readBundledDescription('insights.v3alpha');

describe.skipIf(!existsSync(folder))('recorded answers', () => {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const recorded = (name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));

  const schemaOf = (answer: object): string => {
    const schemas = {
      PurlLookupBatchResult: 'responses',
      Version: 'licenses',
      Package: 'versions',
      Advisory: 'aliases',
      Dependencies: 'nodes',
      Dependents: 'dependentCount',
      Project: 'starsCount',
      Requirements: 'pypi',
    };
    const member = Object.entries(schemas).find(([, field]) => field in answer);
    return member?.[0] ?? 'none';
  };

  test.each(names)('%s fits the description and is read without loss', (name) => {
    const answer = recorded(name);
    const problems: ContractProblem[] = [];
    const usable = compileAnswerCheck(document, schemaOf(answer), undefined)(answer, problems);
    expect(problems).toEqual([]);
    expect(usable).toBe(answer);
    expect(JSON.parse(JSON.stringify(usable))).toEqual(recorded(name));
  });

  test('the recorded miss of a batch is a miss, with an empty token for its last page', async () => {
    const fake = await startFakeService();
    const http = createHttpClient();
    const recording = readFileSync(path.join(folder, 'live-v3alpha-purlbatch-miss-go.json'));
    fake.behaviour.override = (_request, response) => {
      response.setHeader('content-type', 'application/json').end(recording);
      return true;
    };
    try {
      const service = createInsightsService(await openInsightsApi(http, fake.rootUrl));
      const purl = 'pkg:golang/github.com/cyclonedx/cyclonedx-go@v0.9.2';
      const { signal } = new AbortController();
      const page = await purlLookupBatch(service, { requests: [{ purl }] }, { signal });
      expect(page).toMatchObject({ value: { nextPageToken: '' }, problems: [], body: recording });
      for await (const entry of createBatches(service).purls([purl], { signal })) {
        expect(entry).toEqual({ request: purl, missing: true, raw: { request: { purl } } });
      }
      expect(fake.calls).toHaveLength(2);
    } finally {
      await http.close();
      await fake.close();
    }
  });

  const versions = names.filter((name) => 'licenses' in recorded(name) && 'versionKey' in recorded(name));
  test.each(versions)('version %s', (name) => {
    const answer = recorded(name);
    const record = readVersionRecord(answer);
    expect(record.versionKey).toEqual(answer.versionKey);
    expect(record.advisoryIds).toEqual(answer.advisoryKeys.map(({ id }: { id: string }) => id));
    expect(record.licenses).toEqual(answer.licenses);
    expect(record.publishedAt).toBe(answer.publishedAt);
    expect(record.isDeprecated).toBe(answer.isDeprecated ?? false);
    expect(record.deprecatedReason ?? '').toBe(answer.deprecatedReason ?? '');
  });

  const graphs = names.filter((name) => 'nodes' in recorded(name));
  test.each(graphs)('dependencies %s', (name) => {
    const answer = recorded(name);
    const graph = readDependencyGraph({ value: answer, problems: [], raw: answer, body: Buffer.alloc(0) });
    expect(graph.nodes.map(({ versionKey }) => versionKey)).toEqual(
      answer.nodes.map(({ versionKey }: { versionKey: object }) => versionKey),
    );
    expect(graph.edges).toHaveLength(answer.edges.length);
    expect(graph.errors).toEqual([]);
  });

  const advisories = names.filter((name) => 'advisoryKey' in recorded(name));
  test.each(advisories)('advisory %s', async (name) => {
    const value = recorded(name);
    const { advisoryKey, url, title, aliases } = value;
    const answer = { value, problems: [], raw: value, body: Buffer.alloc(0) };
    const read = await readAdvisory(answer, advisoryKey.id);
    expect(read).toMatchObject({ id: advisoryKey.id, url, title, aliases });
    expect(read).not.toHaveProperty('problems');
  });

  test('there are recordings of each kind', () => {
    expect([versions.length, graphs.length, advisories.length].every((count) => count > 0)).toBe(true);
  });
});
