import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '../../src/http/undici-client.ts';
import * as operations from '../../src/insights/operations.ts';
import { createInsightsService, type InsightsService } from '../../src/insights/service.ts';
import type { System } from '../../src/model/lockfile/ecosystem.ts';
import { startTestServer } from '../http/test-server.ts';
import { openInsightsApi } from './fake-service.ts';

const seen: string[] = [];
const http = createHttpClient();
let server: Awaited<ReturnType<typeof startTestServer>>;
let service: InsightsService;

beforeAll(async () => {
  server = await startTestServer((request, response) => {
    seen.push(decodeURIComponent(request.url ?? ''));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  service = createInsightsService(await openInsightsApi(http, server.url), { privatePatterns: ['@corp/*'] });
});
beforeEach(() => void seen.splice(0));
afterAll(async () => {
  await http.close();
  await server.close();
});

const options = { signal: new AbortController().signal };
const SYSTEMS: readonly System[] = ['GO', 'RUBYGEMS', 'NPM', 'CARGO', 'MAVEN', 'PYPI', 'NUGET'];

/** The result of the operation for each system: an answer, or the rule that forbids it. */
async function rulesOf(
  ask: (system: System) => Promise<{ error?: { rule?: string | undefined } | undefined }>,
) {
  const answers = await Promise.all(SYSTEMS.map(async (system) => [system, (await ask(system)).error?.rule]));
  return Object.fromEntries(answers.filter(([, rule]) => rule !== undefined));
}

const keyOf = (system: System) => ({ system, name: system === 'MAVEN' ? 'g:a' : 'a', version: '1.0.0' });

describe('systems that have no', () => {
  const all = (rule: string, ...systems: System[]) =>
    Object.fromEntries(systems.map((system) => [system, rule]));

  test.each([
    ['dependencies', operations.getDependencies, ['GO', 'RUBYGEMS', 'NUGET']],
    ['dependents', operations.getDependents, ['GO', 'RUBYGEMS', 'NUGET']],
    ['capabilities', operations.getCapabilities, ['RUBYGEMS', 'NPM', 'CARGO', 'MAVEN', 'PYPI', 'NUGET']],
  ] as const)('%s', async (facts, operation, without) => {
    const rules = await rulesOf((system) => operation(service, keyOf(system), options));
    expect(rules).toEqual(all(`systems-with-${facts}`, ...without));
    expect(seen).toHaveLength(SYSTEMS.length - without.length);
  });

  test('hashes', async () => {
    const hash = 'md5:d41d8cd98f00b204e9800998ecf8427e';
    const rules = await rulesOf((system) => operations.query(service, { system, hash }, options));
    expect(rules).toEqual({ GO: 'systems-with-hashes' });
    expect(await rulesOf((system) => operations.query(service, { ...keyOf(system) }, options))).toEqual({});
  });
});

describe('what is never sent', () => {
  const version = { system: 'NPM', name: 'a', version: '1.0.0' } as const;
  const purls = (...list: string[]) => ({ requests: list.map((purl) => ({ purl })) });
  const many = Array.from({ length: 5_001 }, () => ({ versionKey: version }));

  test.each<
    [
      string,
      () => Promise<{ error?: { code: string; rule: string | undefined; message: string } | undefined }>,
      RegExp,
    ]
  >([
    [
      'purl-without-qualifiers',
      () => operations.purlLookup(service, 'pkg:npm/a@1?arch=x', options),
      /no qualifiers/,
    ],
    [
      'purl-without-subpath',
      () => operations.purlLookup(service, 'pkg:npm/a@1#lib', options),
      /not have a subpath/,
    ],
    [
      'purl-type',
      () => operations.purlLookup(service, 'pkg:oci/a@1', options),
      /cargo, gem, golang, maven, npm/,
    ],
    ['purl-form', () => operations.purlLookup(service, 'npm/a@1', options), /pkg:<type>/],
    ['purl-form', () => operations.purlLookup(service, 'pkg:npm/%zz@1', options), /percent-encoded/],
    ['purl-form', () => operations.purlLookup(service, 'pkg:npm/@1', options), /empty/],
    ['name-form', () => operations.purlLookup(service, 'pkg:maven/a@1', options), /group:artifact/],
    [
      'purl-with-version',
      () => operations.purlLookupBatch(service, purls('pkg:npm/b@1', 'pkg:npm/a'), options),
      /^requests\[1\]: "pkg:npm\/a"/,
    ],
    [
      'purl-without-qualifiers',
      () => operations.purlLookupBatch(service, purls('pkg:npm/a@1?x=y'), options),
      /^requests\[0\]/,
    ],
    [
      'batch-size',
      () => operations.getVersionBatch(service, { requests: many }, options),
      /at most 5000 requests, not 5001/,
    ],
    [
      'version-required',
      () => operations.getVersion(service, { ...version, version: '' }, options),
      /a version is required/,
    ],
    [
      'known-system',
      () => operations.getVersion(service, { ...version, system: 'DEB' as System }, options),
      /"DEB" is not a system/,
    ],
    [
      'name-form',
      () => operations.getPackage(service, { system: 'MAVEN', name: 'junit' }, options),
      /group:artifact/,
    ],
    [
      'project-id-form',
      () => operations.getProject(service, 'https://github.com/a/b', options),
      /<host>\/<owner>\/<repository>/,
    ],
    [
      'project-id-form',
      () =>
        operations.getProjectBatch(
          service,
          { requests: [{ projectKey: { id: 'example.com/a/b' } }] },
          options,
        ),
      /^requests\[0\]/,
    ],
    ['advisory-id-form', () => operations.getAdvisory(service, '', options), /not an OSV identifier/],
    [
      'chain-id-form',
      () => operations.queryContainerImages(service, 'latest', options),
      /not an OCI chain identifier/,
    ],
    [
      'query-criteria',
      () => operations.query(service, { system: 'NPM' }, options),
      /a hash, or a system and a name/,
    ],
    [
      'query-criteria',
      () =>
        operations.query(service, { hash: 'md5:d41d8cd98f00b204e9800998ecf8427e', version: '1' }, options),
      /version 1 needs/,
    ],
    [
      'hash-form',
      () =>
        operations.query(
          service,
          { hash: { type: 'SHA256', value: 'd41d8cd98f00b204e9800998ecf8427e' } },
          options,
        ),
      /32 bytes/,
    ],
    [
      'private-name',
      () => operations.getPackage(service, { system: 'NPM', name: '@corp/a' }, options),
      /private pattern/,
    ],
    [
      'private-name',
      () => operations.getDependents(service, { ...version, name: '@corp/a' }, options),
      /private pattern/,
    ],
    [
      'private-name',
      () => operations.purlLookup(service, 'pkg:npm/%40corp/a@1.0.0', options),
      /private pattern/,
    ],
    [
      'private-name',
      () => operations.query(service, { ...version, name: '@Corp/a' }, options),
      /private pattern/,
    ],
  ])('%s', async (rule, ask, message) => {
    const { error } = await ask();
    expect(error).toMatchObject({ code: 'invalid', rule, message: expect.stringMatching(message) });
    expect(error?.message).toContain(`[${rule}]`);
    expect(seen).toEqual([]);
  });
});

describe('names as the index spells them', () => {
  test.each([
    ['PYPI', 'Zope._.Interface', '1.0', '/PYPI/packages/zope-interface/versions/1.0'],
    ['NUGET', 'Newtonsoft.Json', '13.0.1', '/NUGET/packages/newtonsoft.json/versions/13.0.1'],
    ['NPM', 'JSONStream', '1.0.0', '/NPM/packages/JSONStream/versions/1.0.0'],
    ['GO', 'github.com/CycloneDX/a', '0.9.2', '/GO/packages/github.com/CycloneDX/a/versions/v0.9.2'],
    ['GO', 'stdlib', '1.22.0', '/GO/packages/stdlib/versions/go1.22.0'],
    ['MAVEN', 'org.example:Core', '1.0', '/MAVEN/packages/org.example:Core/versions/1.0'],
  ] as const)('%s %s %s', async (system, name, version, path) => {
    await operations.getVersion(service, { system, name, version }, options);
    expect(seen).toEqual([`/v3alpha/systems${path}`]);
  });

  test.each([
    ['pkg:pypi/Zope.Interface@1.0', 'pkg:pypi/zope-interface@1.0'],
    ['pkg:NPM/@types/node@20.11.0', 'pkg:npm/%40types/node@20.11.0'],
    ['pkg://npm/JSONStream', 'pkg:npm/JSONStream'],
    ['pkg:npm/%40colors/colors@1.5.0', 'pkg:npm/%40colors/colors@1.5.0'],
    ['pkg:maven/org.example/core@1.0+a', 'pkg:maven/org.example/core@1.0%2Ba'],
    ['pkg:golang/example.com/m@1.0.0', 'pkg:golang/example.com/m@v1.0.0'],
    ['pkg:nuget/Newtonsoft.Json@13.0.1', 'pkg:nuget/newtonsoft.json@13.0.1'],
  ])('%s', async (given, sent) => {
    await operations.purlLookup(service, given, options);
    expect(seen).toEqual([`/v3alpha/purl/${sent}`]);
  });
});
