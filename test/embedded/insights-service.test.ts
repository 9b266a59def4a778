import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { synthesizeData } from '../../bench/synthetic-data.ts';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { methodsOf } from '../../src/discovery/description/methods.ts';
import { garbageAnswer, htmlAnswer, tooManyRequests } from '../../src/embedded/faults.ts';
import { type InsightsData, readBundledData } from '../../src/embedded/insights/data-set.ts';
import { InsightsModel } from '../../src/embedded/insights/model.ts';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { UNCOVERED } from '../../src/model/api/extensions.ts';

const batch = z.object({
  responses: z.array(
    z.object({
      request: z.looseObject({ purl: z.string().optional() }),
      result: z
        .object({ version: z.looseObject({ versionKey: z.looseObject({ name: z.string() }) }) })
        .optional(),
      version: z.looseObject({}).optional(),
    }),
  ),
  nextPageToken: z.string(),
});

/** Some other ecosystems, because the bundled data has npm packages only. */
const MIXED: InsightsData = {
  packages: [
    { system: 'PYPI', name: 'annotated-types', default: '0.7.0', versions: [{ version: '0.7.0' }] },
    { system: 'PYPI', name: 'django', versions: [{ version: '3.0.0', license: 'BSD' }] },
    { system: 'PYPI', name: 'six', versions: [{ version: '1.16' }] },
    { system: 'GO', name: 'github.com/CycloneDX/cyclonedx-go', versions: [{ version: 'v0.9.2' }] },
    { system: 'NPM', name: 'JSONStream', versions: [{ version: '1.3.5', license: '(MIT OR Apache-2.0)' }] },
    { system: 'MAVEN', name: 'org.example:core', versions: [{ version: '1.0' }] },
  ],
  advisories: [],
};

describe('the bundled data', () => {
  it('has advisories that each affect something in the example, and holds one of them back', async () => {
    const data = await readBundledData();
    const model = new InsightsModel({ ...data, advisories: [] });
    const without = data.advisories.filter((advisory) => model.learnAdvisory(advisory).length === 0);
    // The malicious version of rc was removed from the registry and therefore from the index.
    expect(without.map(({ id }) => id)).toEqual(['GHSA-g2q5-5433-rhrf']);
    expect(data.advisories.filter(({ heldBack }) => heldBack)).toHaveLength(1);
    expect(new Set(data.advisories.map(({ id }) => id)).size).toBe(data.advisories.length);
  });

  it('treats an empty or unreadable range as one that affects nothing', () => {
    const model = new InsightsModel(MIXED);
    const affectedBy = (range: string) =>
      model.learnAdvisory({
        id: 'GHSA-aaaa-bbbb-cccc',
        title: 'A flaw',
        aliases: [],
        heldBack: false,
        affected: [{ system: 'NPM', name: 'JSONStream', range }],
      });
    expect(['', ' ', 'no range', '*'].map((range) => affectedBy(range).length)).toEqual([0, 0, 0, 1]);
  });

  it.each([
    ['(MIT OR GPL-2.0) AND (BSD-3-Clause OR ISC)', '(MIT OR GPL-2.0) AND (BSD-3-Clause OR ISC)'],
    ['((MIT OR GPL-2.0) AND ISC)', '(MIT OR GPL-2.0) AND ISC'],
    [
      '(MIT OR (GPL-2.0 WITH Classpath-exception-2.0 AND (ISC OR Zlib)))',
      'MIT OR (GPL-2.0 WITH Classpath-exception-2.0 AND (ISC OR Zlib))',
    ],
    ['( MIT )', 'MIT'],
    ['(MIT) OR (ISC)', '(MIT) OR (ISC)'],
    ['LicenseRef-own:1 OR MIT', 'LicenseRef-own:1 OR MIT'],
    ['(MIT OR', 'non-standard'],
    ['(MIT ISC)', 'non-standard'],
    ['MIT)', 'non-standard'],
    ['()', 'non-standard'],
    ['SEE LICENSE IN license.txt', 'non-standard'],
  ])('serves the licence %s as %s', (license, spdx) => {
    const packages = [{ system: 'NPM' as const, name: 'a', versions: [{ version: '1.0.0', license }] }];
    const version = new InsightsModel({ packages, advisories: [] }).version({
      system: 'NPM',
      name: 'a',
      version: '1.0.0',
    });
    expect(version).toMatchObject({ licenses: [spdx], licenseDetails: [{ license, spdx }] });
  });

  it('names no registry but by its alias', async () => {
    for (const file of ['data/insights/packages.ndjson', 'examples/shop/package-lock.json']) {
      const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
      expect(text).not.toMatch(/registry\.npm/);
      expect(text).toContain('sha512-');
    }
  });
});

describe('the local package-insights service over the bundled data', () => {
  let service: InsightsService;
  beforeAll(async () => {
    service = await startInsightsService();
  });
  afterEach(() => service.faults.clear());
  afterAll(() => service.close());

  const get = (path: string) => fetch(`${service.url}/v3alpha/${path}`);

  it('answers every operation of the description document with JSON or a plain-text error', async () => {
    const values: Record<string, string> = {
      'packageKey.system': 'NPM',
      'packageKey.name': 'lodash',
      'versionKey.system': 'NPM',
      'versionKey.name': 'lodash',
      'versionKey.version': '4.17.20',
      'projectKey.id': encodeURIComponent('github.com/lodash/lodash'),
      'advisoryKey.id': 'GHSA-35jh-r3h4-6jhm',
      purl: encodeURIComponent('pkg:npm/lodash@4.17.20'),
      chainId: 'sha256:00',
    };
    const methods = methodsOf(await readBundledDescription('insights.v3alpha'));
    expect(methods).not.toHaveLength(0);
    for (const { id, path, httpMethod } of methods) {
      const filled = path.replaceAll(/\{\+?([^}]+)\}/g, (_all, name) => values[name] ?? '');
      const response = await fetch(`${service.url}/${filled}`, {
        method: httpMethod,
        ...(httpMethod === 'POST' ? { body: '{"requests":[]}' } : {}),
      });
      expect([200, 404], id).toContain(response.status);
      const type = response.status === 200 ? 'application/json' : 'text/plain';
      expect(response.headers.get('content-type'), id).toContain(type);
      if (response.status === 200) {
        expect(response.headers.get('cache-control')).toBe('max-age=3600');
        await response.json();
      }
    }
  });

  it('has every public package of the example', async () => {
    const lock = z
      .object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) })
      .parse(
        JSON.parse(await readFile(new URL('../../examples/shop/package-lock.json', import.meta.url), 'utf8')),
      );
    const unknown: string[] = [];
    for (const [path, { version = '' }] of Object.entries(lock.packages)) {
      if (path === '') continue;
      const name = path.slice(path.lastIndexOf('node_modules/') + 13);
      const response = await get(`systems/NPM/packages/${encodeURIComponent(name)}/versions/${version}`);
      await response.arrayBuffer();
      if (response.status === 404) unknown.push(`${name}@${version}`);
      else expect(response.status).toBe(200);
    }
    expect(unknown.toSorted()).toEqual([
      '@lantern/price-rules@2.1.0',
      'lantern-shelf-labels@0.3.1',
      'rc@1.2.9',
    ]);
    expect(Object.keys(lock.packages).length).toBeGreaterThan(300);
  });

  it('returns a version with defaults and advisories, without unknown facts', async () => {
    const response = await get('systems/NPM/packages/lodash/versions/4.17.20');
    expect(await response.json()).toMatchObject({
      versionKey: { system: 'NPM', name: 'lodash', version: '4.17.20' },
      purl: 'pkg:npm/lodash@4.17.20',
      publishedAt: '2020-08-13T16:53:54Z',
      isDefault: false,
      isDeprecated: false,
      deprecatedReason: '',
      licenses: ['MIT'],
      advisoryKeys: [{ id: 'GHSA-29mw-wpgm-hmr9' }, { id: 'GHSA-35jh-r3h4-6jhm' }],
      slsaProvenances: [],
      registries: ['https://registry.yarnpkg.com/'],
      relatedProjects: [
        { projectKey: { id: 'github.com/lodash/lodash' }, relationType: 'ISSUE_TRACKER' },
        { projectKey: { id: 'github.com/lodash/lodash' }, relationType: 'SOURCE_REPO' },
      ],
    });
    const scoped = await get('systems/NPM/packages/%40types%2Fnode/versions/1.0.0');
    expect([scoped.status, await scoped.text()]).toEqual([404, 'version not found']);
    const undated = await (await get('systems/NPM/packages/minimist/versions/1.2.5')).json();
    expect(undated).not.toHaveProperty('publishedAt');
  });

  it('returns deprecations with their reasons', async () => {
    const response = await get('systems/NPM/packages/request/versions/2.88.2');
    expect(await response.json()).toMatchObject({
      isDeprecated: true,
      deprecatedReason: expect.stringContaining('request has been deprecated'),
    });
  });

  it('returns advisories with score and vector, which are 0 and empty when absent', async () => {
    expect(await (await get('advisories/GHSA-xvch-5gv4-984h')).json()).toMatchObject({
      advisoryKey: { id: 'GHSA-xvch-5gv4-984h' },
      url: 'https://osv.dev/vulnerability/GHSA-xvch-5gv4-984h',
      aliases: ['CVE-2021-44906'],
      cvss3Score: 9.8,
      cvss3Vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    });
    expect(await (await get('advisories/GHSA-pxg6-pf52-xh8x')).json()).toMatchObject({
      cvss3Score: 0,
      cvss3Vector: '',
    });
    expect((await get('advisories/GHSA-0000-0000-0000')).status).toBe(404);
  });

  it('resolves dependency graphs, root first; graphs that are not computed are "not found"', async () => {
    const graph = z
      .object({
        nodes: z.array(z.object({ versionKey: z.object({ name: z.string() }), relation: z.string() })),
        edges: z.array(z.object({ fromNode: z.number(), toNode: z.number(), requirement: z.string() })),
        error: z.literal(''),
      })
      .parse(await (await get('systems/NPM/packages/express/versions/4.17.1:dependencies')).json());
    expect(graph.nodes[0]).toMatchObject({ versionKey: { name: 'express' }, relation: 'SELF' });
    const qs = graph.nodes.findIndex(({ versionKey }) => versionKey.name === 'qs');
    expect(graph.nodes[qs]?.relation).toBe('DIRECT');
    expect(graph.edges).toContainEqual({ fromNode: 0, toNode: qs, requirement: '6.7.0' });
    expect(graph.nodes.some(({ relation }) => relation === 'INDIRECT')).toBe(true);
    const none = await get('systems/NPM/packages/lodash/versions/0.0.1:dependencies');
    expect([none.status, await none.text()]).toEqual([404, 'dependencies not found']);
  });

  it('lists the versions of a package with the default one', async () => {
    const found = z
      .object({ versions: z.array(z.looseObject({ isDefault: z.boolean() })) })
      .parse(await (await get('systems/NPM/packages/lodash')).json());
    expect(found.versions.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });

  it('finds versions by the digest of their artifact and by doubly encoded purl', async () => {
    const digest = 'PlhdFcillOINfeV7Ni6oF1TAEayyZBoZ8bcshTHqOYJYlrqzRK5hagpagky5o4HfCzzd1TRkXPMFq6cKk9rGmA==';
    const response = await get(`query?hash.type=SHA512&hash.value=${encodeURIComponent(digest)}`);
    expect(await response.json()).toMatchObject({
      results: [{ version: { purl: 'pkg:npm/lodash@4.17.20' } }],
    });
    const purl = await get(`purl/${encodeURIComponent('pkg:npm/%40babel/code-frame@7.12.11')}`);
    expect(await purl.json()).toMatchObject({ version: { versionKey: { name: '@babel/code-frame' } } });
  });

  it('narrows a digest by every part of a name that is given, and names the artifact', async () => {
    const digest = 'PlhdFcillOINfeV7Ni6oF1TAEayyZBoZ8bcshTHqOYJYlrqzRK5hagpagky5o4HfCzzd1TRkXPMFq6cKk9rGmA==';
    const ask = async (names: Readonly<Record<string, string>>) => {
      const parameters = { 'hash.type': 'SHA512', 'hash.value': digest, ...names };
      const response = await get(`query?${new URLSearchParams(parameters)}`);
      return response.status === 200 ? response.json() : [response.status, await response.text()];
    };
    const both = { 'versionKey.system': 'NPM', 'versionKey.name': 'lodash', 'versionKey.version': '4.17.20' };
    expect(await ask(both)).toMatchObject({
      results: [{ artifacts: [{ url: 'https://registry.yarnpkg.com/lodash/-/lodash-4.17.20.tgz' }] }],
    });
    for (const [name, other] of Object.entries({ system: 'PYPI', name: 'qs', version: '4.17.21' })) {
      expect(await ask({ ...both, [`versionKey.${name}`]: other })).toEqual([404, 'no results match query']);
    }
    const named = await get('query?versionKey.system=NPM&versionKey.name=lodash&versionKey.version=4.17.20');
    expect(await named.json()).toMatchObject({ results: [{ artifacts: [] }] });
  });

  it('refuses a batch of projects with an invalid entry, and echoes only the key', async () => {
    const ask = (requests: readonly unknown[]) =>
      fetch(`${service.url}/v3alpha/projectbatch`, { method: 'POST', body: JSON.stringify({ requests }) });
    for (const poison of [5, null, {}, { projectKey: { id: 1 } }]) {
      const refused = await ask([{ projectKey: { id: 'github.com/a/b' } }, poison]);
      expect([refused.status, await refused.text()]).toEqual([400, 'invalid project key']);
    }
    const answered = await ask([{ projectKey: { id: 'github.com/a/b' }, more: 1 }]);
    expect(await answered.json()).toEqual({
      responses: [{ request: { projectKey: { id: 'github.com/a/b' } } }],
      nextPageToken: '',
    });
  });

  it('distinguishes a project without packages from an unknown one', async () => {
    const projects = [{ id: 'github.com/example/empty' }];
    const small = await startInsightsService({ data: { packages: [], advisories: [], projects } });
    const ask = (name: string) =>
      fetch(`${small.url}/v3alpha/projects/github.com%2Fexample%2F${name}:packageversions`);
    expect(await (await ask('empty')).json()).toEqual({ versions: [] });
    expect((await ask('unknown')).status).toBe(404);
    await small.close();
  });

  it('accepts the names of systems and hashes in any case', async () => {
    const named = await get('systems/npm/packages/lodash/versions/4.17.20');
    expect(await named.json()).toMatchObject({ versionKey: { system: 'NPM', name: 'lodash' } });
    const queried = await get('query?versionKey.system=Npm&versionKey.name=lodash&hash.type=sha512');
    expect(queried.status).toBe(200);
  });

  it('refuses systems that the document does not list, and paths with a raw slash', async () => {
    const unknown = await get('systems/SWIFT/packages/x');
    expect([unknown.status, await unknown.text()]).toEqual([
      400,
      'invalid value for packageKey.system: "SWIFT"',
    ]);
    expect((await get('systems/NPM/packages/@babel/code-frame')).status).toBe(404);
    expect((await get('systems/NPM/packages/%E0%A4%A')).status).toBe(400);
  });

  it('serves an advisory after holding it back', async () => {
    const fresh = await startInsightsService();
    const [advisory] = fresh.heldBack;
    if (advisory === undefined) throw new Error('the data set holds no advisory back');
    const url = `${fresh.url}/v3alpha/systems/NPM/packages/axios/versions/0.21.1`;
    const idsAt = async () =>
      z.object({ advisoryKeys: z.array(z.object({ id: z.string() })) }).parse(await (await fetch(url)).json())
        .advisoryKeys;
    expect(await idsAt()).not.toContainEqual({ id: advisory.id });
    expect((await fetch(`${fresh.url}/v3alpha/advisories/${advisory.id}`)).status).toBe(404);
    expect(fresh.learnAdvisory(advisory)).toEqual([{ system: 'NPM', name: 'axios', version: '0.21.1' }]);
    expect(await idsAt()).toContainEqual({ id: advisory.id });
    expect((await fetch(`${fresh.url}/v3alpha/advisories/${advisory.id}`)).status).toBe(200);
    await fresh.close();
    await fresh.close();
  });

  it('takes changes of its data, and refuses invalid ones', async () => {
    const fresh = await startInsightsService();
    const send = async (method: string, path: string, body?: unknown) => {
      const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(`${fresh.url}/-/${path}`, { method, body: text });
      return [answer.status, await answer.text()] as const;
    };
    const at = async (version: string) =>
      await fetch(`${fresh.url}/v3alpha/systems/NPM/packages/axios/versions/${version}`);
    const advisoriesOf = async (version: string) =>
      z
        .object({ advisoryKeys: z.array(z.object({ id: z.string() })) })
        .parse(await (await at(version)).json()).advisoryKeys;
    const advisory = {
      id: 'GHSA-test-0000-0001',
      title: 'A flaw',
      aliases: [],
      score: 5,
      affected: [{ name: 'axios', range: '<1' }],
    };
    const key = { system: 'NPM', name: 'axios', version: '0.21.1' } as const;
    const [status, affected] = await send('PUT', 'advisories', advisory);
    expect([status, JSON.parse(affected)]).toEqual([200, { affected: expect.arrayContaining([key]) }]);
    await send('PUT', 'advisories', { ...advisory, score: 9 });
    const served = (await advisoriesOf('0.21.1')).filter(({ id }) => id === advisory.id);
    expect(served).toHaveLength(1);
    expect(await (await fetch(`${fresh.url}/v3alpha/advisories/${advisory.id}`)).json()).toMatchObject({
      cvss3Score: 9,
    });
    await send('DELETE', `advisories/${advisory.id}`);
    expect(await advisoriesOf('0.21.1')).not.toContainEqual({ id: advisory.id });
    const before = fresh.findPackage(key);
    const [first] = before?.versions ?? [];
    expect((await at(first?.version ?? '')).status).toBe(200);
    const versions = [{ version: '9.9.9', deprecated: 'use another' }];
    expect((await send('PUT', 'packages', { name: 'axios', versions }))[0]).toBe(200);
    expect((await at(first?.version ?? '')).status).toBe(404);
    expect(await (await at('9.9.9')).json()).toMatchObject({ isDeprecated: true });
    expect((await send('PUT', 'advisories', '{'))[0]).toBe(400);
    const [refused, why] = await send('PUT', 'packages', { name: 'axios' });
    expect([refused, why]).toEqual([400, expect.stringContaining('versions')]);
    await fresh.close();
  });

  it('applies faults to single requests', async () => {
    const path = 'advisories/GHSA-xvch-5gv4-984h';
    service.faults.inject(tooManyRequests(7), { times: 2 });
    service.faults.inject(htmlAnswer());
    service.faults.inject(garbageAnswer());
    service.faults.inject({ kind: 'drop' });
    service.faults.inject({ kind: 'hang' });
    const limited = await get(path);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await get(path)).status).toBe(429);
    const html = await get(path);
    expect([html.status, html.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    await expect(get(path).then((response) => response.json())).rejects.toThrow(SyntaxError);
    await expect(get(path)).rejects.toThrow('fetch failed');
    await expect(
      fetch(`${service.url}/v3alpha/${path}`, { signal: AbortSignal.timeout(200) }),
    ).rejects.toThrow('timeout');
    expect((await get(path)).status).toBe(200);
  });
});

describe('batches of the local package-insights service', () => {
  let service: InsightsService;
  beforeAll(async () => {
    service = await startInsightsService({ data: MIXED });
  });
  afterAll(() => service.close());

  const post = (path: string, body: unknown) =>
    fetch(`${service.url}/v3alpha/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const purls = async (...sent: string[]) =>
    batch.parse(await (await post('purlbatch', { requests: sent.map((purl) => ({ purl })) })).json());

  it('answers in order, and a miss with only the request', async () => {
    const { responses, nextPageToken } = await purls(
      'pkg:pypi/nothing@1.0',
      'pkg:pypi/annotated-types@0.7.0',
      'pkg:npm/JSONStream@1.3.5',
    );
    expect(responses[0]).toEqual({ request: { purl: 'pkg:pypi/nothing@1.0' } });
    expect(responses[1]?.result?.version.versionKey.name).toBe('annotated-types');
    expect(responses[2]?.result?.version).toMatchObject({ licenses: ['MIT OR Apache-2.0'] });
    expect(nextPageToken).toBe('');
  });

  it('says which misses of a page partial data does not cover, by package and by version', async () => {
    const own = { system: 'NPM', name: 'own', versions: [{ version: '1.0.0' }], absent: ['1.0.1'] } as const;
    const data = {
      ...MIXED,
      packages: [...MIXED.packages, { ...own, versions: [...own.versions], absent: [...own.absent] }],
    };
    const partial = await startInsightsService({ data, partial: true, pageSize: 5 });
    const ask = async (path: string, body: object) =>
      JSON.parse(
        await (
          await fetch(`${partial.url}/v3alpha/${path}`, { method: 'POST', body: JSON.stringify(body) })
        ).text(),
      );
    const sent = ['own@1.0.0', 'own@1.0.1', 'own@1.0.2', 'nothing@1.0.0', 'own@1.0.1', 'own@9.0.0'];
    const requests = sent.map((purl) => ({ purl: `pkg:npm/${purl}` }));
    const first = await ask('purlbatch', { requests });
    expect(first[UNCOVERED]).toEqual([2, 3]);
    expect((await ask('purlbatch', { requests, pageToken: first.nextPageToken }))[UNCOVERED]).toEqual([0]);
    const keys = ['1.0.0', '1.0.2'].map((version) => ({
      versionKey: { system: 'NPM', name: 'own', version },
    }));
    expect((await ask('versionbatch', { requests: keys }))[UNCOVERED]).toEqual([1]);
    const list = await (await fetch(`${partial.url}/v3alpha/systems/npm/packages/own`)).json();
    expect(list).toMatchObject({ packageKey: { name: 'own' }, [UNCOVERED]: true });
    // Versions that a package is served without from now on are known to be absent.
    partial.putPackage({ system: 'NPM', name: 'own', versions: [{ version: '1.0.2' }] });
    expect((await ask('purlbatch', { requests: requests.slice(0, 3) }))[UNCOVERED]).toBeUndefined();
    await partial.close();
  });

  it('echoes normalised purls and returns canonical versions', async () => {
    const { responses } = await purls('pkg:pypi/annotated_types@0.7.0', 'pkg:pypi/Django@3.0');
    expect(responses[0]?.request.purl).toBe('pkg:pypi/annotated-types@0.7.0');
    expect(responses[1]?.result?.version.versionKey).toMatchObject({ name: 'django', version: '3.0.0' });
  });

  it.each(['1.16', '1.16.0'])('finds a Python version that the data spells 1.16 as %s', async (version) => {
    const { responses } = await purls(`pkg:pypi/six@${version}`);
    expect(responses[0]?.result?.version.versionKey).toMatchObject({ name: 'six', version: '1.16' });
  });

  it('misses Go modules with capitals by purl and finds them by version key', async () => {
    const { responses } = await purls('pkg:golang/github.com/CycloneDX/cyclonedx-go@v0.9.2');
    expect(responses).toEqual([{ request: { purl: 'pkg:golang/github.com/cyclonedx/cyclonedx-go@v0.9.2' } }]);
    const versionKey = { system: 'GO', name: 'github.com/CycloneDX/cyclonedx-go', version: 'v0.9.2' };
    const found = batch.parse(await (await post('versionbatch', { requests: [{ versionKey }] })).json());
    expect(found.responses[0]?.version).toMatchObject({ versionKey });
  });

  it('echoes the first spelling of a version that is requested twice', async () => {
    const requests = ['Annotated_Types', 'annotated.types'].map((name) => ({
      versionKey: { system: 'PYPI', name, version: '0.7.0' },
    }));
    const { responses } = batch.parse(await (await post('versionbatch', { requests })).json());
    expect(responses.map(({ request }) => request)).toEqual([requests[0], requests[0]]);
  });

  it.each([
    ['a malformed purl', 'npm/lodash@1.0.0'],
    ['an unsupported type', 'pkg:oci/alpine@1.0.0'],
    ['qualifiers', 'pkg:npm/lodash@4.17.20?arch=x64'],
    ['a subpath', 'pkg:npm/lodash@4.17.20#lib'],
    ['a missing version', 'pkg:npm/lodash'],
    ['an empty version', 'pkg:npm/lodash@'],
    ['a scope without a version', 'pkg:npm/@babel/core'],
    ['broken percent-encoding', 'pkg:npm/%E0%A4%A@1.0.0'],
  ])('is poisoned as a whole by %s', async (_what, purl) => {
    const response = await post('purlbatch', { requests: [{ purl: 'pkg:pypi/django@3.0.0' }, { purl }] });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toContain(purl);
  });

  it('cuts pages of 100, with tokens that fit this batch only', async () => {
    const requests = Array.from({ length: 250 }, (_, i) => ({ purl: `pkg:npm/package-${i}@1.0.0` }));
    const seen: (string | undefined)[] = [];
    const sizes: number[] = [];
    let pageToken = '';
    do {
      const page = batch.parse(await (await post('purlbatch', { requests, pageToken })).json());
      seen.push(...page.responses.map(({ request }) => request.purl));
      sizes.push(page.responses.length);
      pageToken = page.nextPageToken;
      if (pageToken !== '') {
        const other = await post('purlbatch', { requests: requests.slice(1), pageToken });
        expect([other.status, await other.text()]).toEqual([400, 'invalid page token']);
      }
    } while (pageToken !== '');
    expect(sizes).toEqual([100, 100, 50]);
    expect(seen).toEqual(requests.map(({ purl }) => purl));
    expect((await post('purlbatch', { requests, pageToken: 'nonsense' })).status).toBe(400);
  });

  it('accepts 5,000 entries and refuses one more', async () => {
    const requests = Array.from({ length: 5_001 }, (_, i) => ({
      purl: `pkg:npm/${'long-name-'.repeat(20)}${i}@1.0.0`,
    }));
    const refused = await post('purlbatch', { requests });
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
    await refused.text();
    expect((await post('purlbatch', { requests: requests.slice(1) })).status).toBe(200);
  });

  it('refuses bodies that are not a batch', async () => {
    for (const body of [
      '',
      'null',
      '[',
      '[]',
      '"x"',
      '{"requests":{}}',
      '{"requests":[null]}',
      '{"requests":[{}]}',
    ]) {
      const response = await fetch(`${service.url}/v3alpha/purlbatch`, { method: 'POST', body });
      expect(response.status, body).toBe(400);
      expect((await response.text()).length, body).toBeGreaterThan(0);
    }
  });
});

const CORPORA = process.env['LOCKHOUND_CORPORA'] ?? join(import.meta.dirname, '../../../shared/corpora');
const RECORDED = join(CORPORA, 'insights/live-v3-npm-lodash-4.17.20.json');

describe('a client that writes null for absent fields', () => {
  it('gets the same answer as without it', async () => {
    const service = await startInsightsService({ data: MIXED });
    const purl = 'pkg:pypi/annotated-types@0.7.0';
    const keys = { system: 'PYPI', name: 'annotated-types', version: '0.7.0' };
    const entries = {
      purlbatch: { purl },
      versionbatch: { versionKey: keys },
      projectbatch: { projectKey: { id: 'github.com/a/b' } },
    };
    for (const [path, entry] of Object.entries(entries)) {
      const ask = async (body: object) => {
        const init = { method: 'POST', body: JSON.stringify(body) };
        const response = await fetch(`${service.url}/v3alpha/${path}`, init);
        return [response.status, await response.json()];
      };
      const plain = await ask({ requests: [entry] });
      expect(plain[0], path).toBe(200);
      expect(await ask({ requests: [entry], pageToken: null }), path).toEqual(plain);
      const empty = [200, { responses: [], nextPageToken: '' }];
      expect(await ask({ requests: null, pageToken: null }), path).toEqual(empty);
    }
    await service.close();
  });

  it("accepts other clients' spellings of URLs", async () => {
    const service = await startInsightsService();
    for (const path of [
      // Python's aiohttp decodes characters that a path allows, and sends a content type without a body.
      'systems/npm/packages/@types%2Fnode',
      'purl/pkg:npm%2Flodash@4.17.20',
      // The purl of its specification, encoded once more; and as encodeURIComponent encodes it.
      'purl/pkg%3Anpm%2F%2540types%2Fnode',
      'purl/pkg%3Anpm%2F%40types%2Fnode',
      'systems/MAVEN/packages/org.codehaus.plexus:plexus-interpolation/versions/1.29:requirements',
      'projects/github.com%2Flodash%2Flodash:packageversions',
    ]) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${service.url}/v3alpha/${path}`, { headers });
      expect(response.status, path).toBe(200);
      await response.arrayBuffer();
    }
    await service.close();
  });

  it('gets plain text for paths that the document does not have', async () => {
    const service = await startInsightsService({ data: MIXED });
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/v3/systems/NPM/packages/JSONStream'],
      ['GET', '/v3alpha/systems/NPM/packages/@babel/core'],
      ['PUT', '/v3alpha/purlbatch'],
      ['POST', '/v3alpha/otherbatch'],
    ] as const) {
      const response = await fetch(service.url + path, { method });
      expect([response.status, await response.text()], path).toEqual([404, 'not found']);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
    await service.close();
  });
});

describe.skipIf(!existsSync(RECORDED))('a recorded answer of the public service', () => {
  it('is the same from the local service, except for advisories that it does not have', async () => {
    const service = await startInsightsService();
    const recorded = z.looseObject({ advisoryKeys: z.array(z.object({ id: z.string() })) });
    const { advisoryKeys: theirs, ...expected } = recorded.parse(
      JSON.parse(await readFile(RECORDED, 'utf8')),
    );
    const response = await fetch(`${service.url}/v3alpha/systems/NPM/packages/lodash/versions/4.17.20`);
    const { advisoryKeys: ours, ...actual } = recorded.parse(await response.json());
    expect(actual).toMatchObject(expected);
    expect(theirs).toEqual(expect.arrayContaining(ours));
    await service.close();
  });
});

describe('a synthetic index', () => {
  it('answers 65 pages of 100', async () => {
    const versions = Array.from({ length: 6_500 }, (_, i) => ({
      name: `@scope/package-${i}`,
      version: '1.0.0',
    }));
    const service = await startInsightsService({ data: synthesizeData(versions) });
    const answers = await Promise.all(
      Array.from({ length: 65 }, async (_, page) => {
        const requests = versions
          .slice(page * 100, page * 100 + 100)
          .map(({ name, version }) => ({ purl: `pkg:npm/${name.replace('@', '%40')}@${version}` }));
        const response = await fetch(`${service.url}/v3alpha/purlbatch`, {
          method: 'POST',
          body: JSON.stringify({ requests }),
        });
        return batch.parse(await response.json());
      }),
    );
    expect(answers.flatMap(({ responses }) => responses).every(({ result }) => result !== undefined)).toBe(
      true,
    );
    expect(service.stats().entries).toBe(6_500);
    expect(service.stats().requests.get('insights.purlLookupBatch')).toBe(65);
    await service.close();
  });
});
