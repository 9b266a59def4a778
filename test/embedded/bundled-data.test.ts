import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { createApiClient } from '../../src/discovery/client.ts';
import type { RestDescription, SchemaDescription } from '../../src/discovery/description/description.ts';
import { methodsOf } from '../../src/discovery/description/methods.ts';
import {
  type IndexedPackage,
  type InsightsData,
  readBundledData,
} from '../../src/embedded/insights/data-set.ts';
import { readInsightsData } from '../../src/embedded/insights/given-data.ts';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { checkAgainstSchema } from '../discovery/check-against-schema.ts';
import { OPERATION_SAMPLES } from '../insights/operation-samples.ts';

const SYSTEMS = ['GO', 'RUBYGEMS', 'NPM', 'CARGO', 'MAVEN', 'PYPI', 'NUGET'] as const;
const MADE_UP = /made.?up|lantern\.example/i;

let service: InsightsService;
let data: InsightsData;
let document: RestDescription;
const http = createHttpClient();
beforeAll(async () => {
  data = await readBundledData();
  document = await readBundledDescription('insights.v3alpha');
  service = await startInsightsService({ pageSize: 3 });
});
afterAll(async () => {
  await service.close();
  await http.close();
});

type Call = { params?: Readonly<Record<string, string>> | undefined; body?: unknown };

/** Requests for each operation that together cover all fields of the data. */
function questions(method: string): readonly Call[] {
  const others = data.packages.filter(({ system }) => system !== 'NPM');
  const npm = [
    'lodash',
    '@tailwindcss/oxide-wasm32-wasi',
    '@made-up.example/attested-labels',
    'request',
    '@made-up.example/attested-label',
  ];
  const packages = [...others, ...data.packages.filter(({ name }) => npm.includes(name))];
  const versions = packages.flatMap(({ system, name, versions: all }) =>
    all.map(({ version }) => ({ system, name, version })),
  );
  const prefixed = (prefix: string, key: Record<string, string>) =>
    Object.fromEntries(Object.entries(key).map(([name, value]) => [`${prefix}.${name}`, value]));
  const byVersion = versions.map((key) => ({ params: prefixed('versionKey', key) }));
  const byPackage = packages.map(({ system, name }) => ({
    params: prefixed('packageKey', { system, name }),
  }));
  const projects = (data.projects ?? []).map(({ id }) => id);
  const attested = { system: 'NPM', name: '@made-up.example/attested-labels', version: '1.0.0' };
  const batch = [attested, { ...attested, name: 'lodash', version: '4.17.20' }, ...versions];
  const purls = ['pkg:npm/%40made-up.example/attested-labels@1.0.0', 'pkg:npm/lodash@4.17.20'];
  const plain = purls.map((purl) => purl.replace(/@[\d.]+$/, ''));
  const asked: Readonly<Record<string, readonly Call[]>> = {
    getPackage: byPackage,
    getSimilarlyNamedPackages: byPackage,
    getFindings: byPackage,
    getFindingsBatch: [
      { body: { requests: [...packages.map(({ system, name }) => ({ packageKey: { system, name } }))] } },
      ...versions.map((versionKey) => ({ body: { requests: [{ versionKey }] } })),
      { body: { requests: versions.map((versionKey) => ({ versionKey })) } },
    ],
    getVersionBatch: [{ body: { requests: batch.map((versionKey) => ({ versionKey })) } }],
    getProject: projects.map((id) => ({ params: { 'projectKey.id': id } })),
    getProjectPackageVersions: projects.map((id) => ({ params: { 'projectKey.id': id } })),
    getProjectBatch: [
      { body: { requests: [...projects, 'a/b/c', 'a/b/d', 'a/b/e'].map((id) => ({ projectKey: { id } })) } },
    ],
    getAdvisory: data.advisories.map(({ id }) => ({ params: { 'advisoryKey.id': id } })),
    query: [
      { params: { 'hash.type': 'SHA512', 'hash.value': digestOf('sha512') } },
      { params: prefixed('versionKey', attested) },
    ],
    purlLookup: [...purls, ...plain].map((purl) => ({ params: { purl } })),
    purlLookupBatch: [{ body: { requests: [...purls, ...purls].map((purl) => ({ purl })) } }],
    queryContainerImages: (data.images ?? []).map(({ chainId }) => ({ params: { chainId } })),
  };
  const { params, body } = OPERATION_SAMPLES[method] ?? {};
  const sample = params !== undefined && 'versionKey.name' in params ? byVersion : [{ params, body }];
  return asked[method.replace('insights.', '')] ?? sample;
}

function digestOf(algorithm: string, name = 'lodash'): string {
  const found = data.packages.find((one) => one.name === name)?.versions[0]?.integrity ?? '';
  return new RegExp(`(?:^| )${algorithm}-(\\S+)`).exec(found)?.[1] ?? '';
}

async function answersOf(method: string): Promise<readonly unknown[]> {
  const api = createApiClient({ document, http, rootUrl: service.url });
  const answers: unknown[] = [];
  for (const { params, body } of questions(method)) {
    const call = { ...(params && { params }), ...(body === undefined ? {} : { body }) };
    const { status, content } = await api.call(method, call);
    if (status === 200 && content.kind === 'json') answers.push(content.value);
  }
  return answers;
}

describe('the bundled data', () => {
  it('answers every field of every operation with something', async () => {
    const empty: string[] = [];
    for (const { id, response = '' } of methodsOf(document)) {
      const answers = await answersOf(id);
      for (const answer of answers) expect(checkAgainstSchema(document, response, answer), id).toEqual([]);
      empty.push(...unanswered({ $ref: response }, answers, id));
    }
    // The batch looks versions up, never packages ("PurlLookupBatch: version lookups only").
    const never = [
      'insights.purlLookupBatch.responses[].result.package.',
      // A package or a version is asked for.
      'insights.getFindings.versionKey.',
      'insights.getFindings.requestedVersion.',
      'insights.getVersionFindings.packageKey.',
    ];
    expect(empty.filter((place) => !never.some((one) => place.startsWith(one)))).toEqual([]);
  });

  it('has a real and an invented version of every ecosystem, distinguished by name', () => {
    const isReal = ({ name }: IndexedPackage) => !MADE_UP.test(name);
    for (const system of SYSTEMS) {
      const known = data.packages.filter((one) => one.system === system);
      expect(known.some(isReal), system).toBe(true);
      expect(known.every(isReal), system).toBe(false);
    }
    // Facts that cannot be verified are not stated for real packages.
    const real = data.packages.filter(isReal).flatMap(({ versions }) => versions);
    for (const { slsaProvenances, attestations, capabilities, graph } of real) {
      expect([slsaProvenances, attestations, capabilities, graph]).toEqual(Array(4).fill(undefined));
    }
  });

  it.each(['MD5', 'SHA1', 'SHA256', 'SHA512'])('finds versions by %s', async (type) => {
    const digest = digestOf(type.toLowerCase());
    const query = new URLSearchParams({ 'hash.type': type, 'hash.value': digest });
    const response = await fetch(`${service.url}/v3alpha/query?${query}`);
    expect(await response.json()).toMatchObject({
      results: [{ version: { purl: 'pkg:npm/lodash@4.17.20' }, artifacts: [{ url: expect.any(String) }] }],
    });
    const other = new URLSearchParams({ 'hash.type': type === 'MD5' ? 'SHA1' : 'MD5', 'hash.value': digest });
    expect((await fetch(`${service.url}/v3alpha/query?${other}`)).status).toBe(404);
  });

  it('finds versions of other ecosystems by the digests that their lockfiles name', async () => {
    for (const [name, purl] of [
      ['rack-attack', 'pkg:gem/rack-attack@6.7.0'],
      ['serde', 'pkg:cargo/serde@1.0.229'],
    ] as const) {
      const query = new URLSearchParams({ 'hash.type': 'SHA256', 'hash.value': digestOf('sha256', name) });
      const response = await fetch(`${service.url}/v3alpha/query?${query}`);
      expect(await response.json()).toMatchObject({ results: [{ version: { purl } }] });
    }
  });

  it('adds bundled packages to the graph under their own names', async () => {
    const name = encodeURIComponent('@tailwindcss/oxide-wasm32-wasi');
    const path = `systems/NPM/packages/${name}/versions/4.1.11:dependencies`;
    const graph = await (await fetch(`${service.url}/v3alpha/${path}`)).json();
    expect(graph).toMatchObject({
      nodes: expect.arrayContaining([
        expect.objectContaining({
          bundled: true,
          relation: 'DIRECT',
          versionKey: {
            system: 'NPM',
            name: '@tailwindcss/oxide-wasm32-wasi>4.1.11>tslib',
            version: expect.any(String),
          },
        }),
      ]),
    });
  });

  it('lists versions of a project that attestations name before those that only links name', async () => {
    const id = encodeURIComponent('github.com/example/shelf-labels');
    const response = await fetch(`${service.url}/v3alpha/projects/${id}:packageversions`);
    const { versions } = (await response.json()) as { versions: { relationProvenance: string }[] };
    const provenances = versions.map(({ relationProvenance }) => relationProvenance);
    expect(provenances).toEqual(expect.arrayContaining(['SLSA_ATTESTATION', 'PYPI_PUBLISH_ATTESTATION']));
    const first = provenances.indexOf('UNVERIFIED_METADATA');
    expect(provenances.slice(first).every((one) => one === 'UNVERIFIED_METADATA')).toBe(true);
    expect(first).toBeGreaterThan(0);
  });
});

/** Leaf fields of a schema that no answer has a value for: neither an empty text nor an empty list is one. */
function unanswered(schema: SchemaDescription, answers: readonly unknown[], place: string): string[] {
  const { $ref, items, properties } = schema;
  if ($ref !== undefined) return unanswered(document.schemas?.[$ref] ?? {}, answers, place);
  if (items !== undefined) return unanswered(items, answers.flat(), `${place}[]`);
  if (properties === undefined) {
    return answers.some((answer) => answer !== undefined && answer !== '') ? [] : [place];
  }
  return Object.entries(properties).flatMap(([name, property]) => {
    const values = answers.map((answer) => (answer as Readonly<Record<string, unknown>> | undefined)?.[name]);
    return unanswered(
      property,
      values.filter((value) => value !== undefined),
      `${place}.${name}`,
    );
  });
}

it('reads the bundled files like any other data set, without checking them', async () => {
  expect(data).toMatchObject(
    await readInsightsData(join(import.meta.dirname, '..', '..', 'data', 'insights')),
  );
});
