import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tooManyRequests } from '../../src/embedded/faults.ts';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { MAIN } from '../prepare.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'cli-insights-'));
let service: InsightsService;

beforeAll(async () => {
  service = await startInsightsService();
});
beforeEach(() => {
  process.env['LOCKHOUND_INSIGHTS_URL'] = service.url;
});
afterEach(() => {
  delete process.env['LOCKHOUND_INSIGHTS_URL'];
  service.faults.clear();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const insights = (...args: readonly string[]) => lockhound(['insights', ...args]);

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('lockhound insights', () => {
  it.each([
    [
      ['package', 'npm', 'lodash'],
      /^NPM lodash\n {2}purl +pkg:npm\/lodash\n {2}lockhound:uncovered +yes\n {2}versions \(3\)\n.*\n {4}NPM lodash 4\.17\.20 .* 2020-08-13 /,
    ],
    [
      ['version', 'NPM', 'lodash', '4.17.20'],
      /licenses +MIT\n +advisory keys +GHSA-29mw-wpgm-hmr9\n +GHSA-35jh/,
    ],
    [
      ['requirements', 'npm', 'express', '4.17.1'],
      /\ndependencies\n.* {2}dependencies \(\d+\)\n {4}accepts +~1\.3\.7\n/s,
    ],
    [
      ['dependencies', 'npm', 'express', '4.17.1'],
      /^NPM express 4\.17\.1 {2}\(self\)\n├─ accepts .*\(direct\)\n│ {2}├─ /,
    ],
    [['findings', 'npm', '@made-up.example/attested-label'], /LOW_USAGE.*alternative packages/s],
    [['version-findings', 'npm', 'request', '2.88.2'], /DEPRECATED/],
    [['requirements', 'cargo', 'made-up-example-labels', '1.0.0'], /made-up-example-paper/],
    [['advisory', 'GHSA-35jh-r3h4-6jhm'], /cvss3 score +7\.2\n +cvss3 vector +CVSS:3\.1/],
    [['purl', 'pkg:npm/lodash'], /^NPM lodash\n.*versions \(3\)\n/s],
    [['purl', 'pkg:npm/lodash@4.17.20'], /^NPM lodash 4\.17\.20\n/],
    [['similar', 'npm', 'lodash'], /^NPM lodash\n {2}packages {2}none\n$/],
    [
      ['project-versions', 'github.com/lodash/lodash'],
      /NPM lodash 4\.17\.20 +SOURCE_REPO +UNVERIFIED_METADATA\n/,
    ],
    [['dependents', 'npm', 'ms', '2.0.0'], /^dependent count +\d+\ndirect dependent count +\d+\nindirect/],
    [['capabilities', 'go', 'lantern.example/Shelf/labels', '1.2.0'], /CAPABILITY_FILES +3 +41\n/],
    [['project', 'github.com/example/shelf-labels'], /stars count +1,207\n.*overall score +7\.4\n/s],
    [
      ['container-images', 'sha256:11a3d18f1ec1cbcb3a5a3b0b0e4b8bd5f6a9bd6a54e1d8c9ac4ad7f7a0c3b2e1'],
      /^results {2}lantern\/shelf-labels\n {9}lantern\/shop\n$/,
    ],
    [['query', '--system', 'npm', '--name', 'lodash'], /^results \(3\)\n/],
  ])('%j', async (args, expected) => {
    const { code, out, note } = await insights(...args);
    expect(note).toBe('');
    expect(out).toMatch(expected);
    expect(code).toBe(0);
  });

  it.each([
    [['package', 'npm', 'lodash'], 'systems/NPM/packages/lodash'],
    [['version', 'npm', 'lodash', '4.17.20'], 'systems/NPM/packages/lodash/versions/4.17.20'],
    [
      ['dependencies', 'npm', 'express', '4.17.1'],
      'systems/NPM/packages/express/versions/4.17.1:dependencies',
    ],
    [['advisory', 'GHSA-35jh-r3h4-6jhm'], 'advisories/GHSA-35jh-r3h4-6jhm'],
    [['purl', 'pkg:npm/lodash@4.17.20'], `purl/${encodeURIComponent('pkg:npm/lodash@4.17.20')}`],
  ])('%j --json is what the API answered', async (args, path) => {
    const { out } = await insights(...args, '--json');
    const answer = await (await fetch(`${service.url}/v3alpha/${path}`)).text();
    expect(out).toBe(`${answer}\n`);
  });

  it.each([
    [['dependencies', 'npm', 'lodash', '9.9.9'], /^not found: .*\nThe index has not computed a graph/],
    [['query', '--hash', 'md5:d41d8cd98f00b204e9800998ecf8427e'], /\nThe index does not know the hash; that/],
    [['package', 'npm', 'no-such'], /^not found: [^\n]*\n$/],
  ])('explains a miss that may be misunderstood: %j', async (args, expected) => {
    const { code, out, note } = await insights(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(note).toMatch(expected);
  });

  it('keeps to the budget of the configuration, and sends nothing private', async () => {
    process.env['LOCKHOUND_INSIGHTS_REQUESTS_PER_SECOND'] = '5';
    process.env['LOCKHOUND_INSIGHTS_PRIVATE_PACKAGES'] = '@corp/*';
    const began = performance.now();
    try {
      expect((await insights('query', '--file', file('unknown.tgz', 'unknown'))).code).toBe(1);
      expect(performance.now() - began).toBeGreaterThan(590);
      expect(await insights('package', 'npm', '@corp/a')).toMatchObject({
        code: 2,
        note: expect.stringMatching(/private pattern.*\[private-name\]/),
      });
    } finally {
      delete process.env['LOCKHOUND_INSIGHTS_REQUESTS_PER_SECOND'];
      delete process.env['LOCKHOUND_INSIGHTS_PRIVATE_PACKAGES'];
    }
  });

  it('uses the bundled service with --local, regardless of the configuration', async () => {
    process.env['LOCKHOUND_INSIGHTS_URL'] = 'http://127.0.0.1:9';
    const { code, out } = await insights('version', 'npm', 'lodash', '4.17.20', '--local');
    expect([code, out.split('\n')[0]]).toEqual([0, 'NPM lodash 4.17.20']);
    const missed = await insights('version', 'npm', 'lodash', '4.17.19', '--local');
    expect(missed.note).toMatch(/^not found: .*\nThe local data is small: this says nothing about/);
    const purls = file('uncovered.json', '["pkg:npm/lodash@4.17.19", "pkg:npm/rc@1.2.9"]');
    expect((await insights('purls', '--local', '--file', purls)).out).toBe(
      'pkg:npm/lodash@4.17.19  not in the local data set\npkg:npm/rc@1.2.9  not found\n',
    );
  });

  it('queries all hashes of a file until the index knows one', async () => {
    const artifact = file('artifact.tgz', 'not really an archive');
    const before = service.stats().requests.get('insights.query') ?? 0;
    const unknown = await insights('query', '--file', artifact);
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect((service.stats().requests.get('insights.query') ?? 0) - before).toBe(4);
    const lock = JSON.parse(readFileSync('examples/shop/package-lock.json', 'utf8'));
    const { integrity } = lock.packages['node_modules/lodash'];
    const hex = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
    for (const hash of [integrity, `sha512:${hex}`, `SHA512:${integrity.slice(7)}`]) {
      const { code, out } = await insights('query', '--hash', hash);
      expect([code, out]).toEqual([0, expect.stringMatching(/^results \(1\)\n.*NPM lodash \S+\n/s)]);
    }
  });

  it.each([
    ['what the index has not', ['version', 'npm', 'lodash', '9.9.9'], 1, /^not found: .*version not found/],
    [
      'a rule',
      ['dependencies', 'go', 'golang.org/x/net', 'v0.17.0'],
      2,
      /NPM, CARGO, MAVEN, PYPI only.*systems-with-dependencies/,
    ],
    ['a purl with qualifiers', ['purl', 'pkg:npm/a@1?b=c'], 2, /no qualifiers \[purl-without-qualifiers\]/],
    ['an unknown system', ['package', 'apt', 'curl'], 2, /The systems are npm, pypi/],
    ['an invalid hash', ['query', '--hash', 'sha512:abc'], 2, /a SHA512 is 64 bytes.*\[hash-form\]/],
    ['nothing to query for', ['query'], 2, /give --hash, --file.*\[nothing-asked\]/],
    ['a missing file', ['purls', '--file', '/nowhere'], 2, /\/nowhere: no such file.*\[file-unreadable\]/],
    [
      'a missing artifact',
      ['query', '--file', '/nowhere'],
      2,
      /\/nowhere: no such file.*\[file-unreadable\]/,
    ],
    ['an unknown operation', ['versoin', 'npm', 'a', '1'], 2, /Did you mean version/],
  ])('reports the fault of %s', async (_name, args, code, message) => {
    const answered = await insights(...args);
    expect(answered.note).toMatch(message);
    expect(answered).toMatchObject({ code, out: '' });
  });

  it('reports a rate limit, and a service that does not answer', async () => {
    service.faults.inject(tooManyRequests(60));
    expect(await insights('package', 'npm', 'lodash')).toMatchObject({
      code: 2,
      note: expect.stringMatching(/HTTP 429.*\[rate-limited\]/),
    });
    process.env['LOCKHOUND_INSIGHTS_URL'] = 'http://127.0.0.1:9';
    expect(await insights('package', 'npm', 'lodash')).toMatchObject({
      code: 2,
      note: expect.stringMatching(
        /The service at http:\/\/127\.0\.0\.1:9\/ did not answer.*--local.*\[unavailable\]/s,
      ),
    });
  });

  it('shows the valid part of an answer and the places of the rest', async () => {
    const body = JSON.stringify({ advisoryKey: { id: 'GHSA-x' }, title: 'A flaw', aliases: 'CVE-1' });
    const headers = { 'content-type': 'application/json' };
    service.faults.inject({ kind: 'answer', status: 200, body, headers });
    const { code, out, note } = await insights('advisory', 'GHSA-x');
    expect(out).toContain('A flaw');
    expect(note).toMatch(/at \$\.aliases: a list is expected, there is "CVE-1"/);
    expect(code).toBe(0);
  });
});

describe('lockhound insights, in batches', () => {
  const versions =
    'npm lodash 4.17.20\n# a comment\n\nnpm/@types/node/1.0.0\n{"system":"NPM","name":"ms","version":"2.1.2"}\n';

  it('prints one line for each version, in order', async () => {
    const { code, out, note } = await insights('versions', '--file', file('versions.txt', versions));
    expect(out.split('\n').map((line) => line.split('  ').slice(0, 2))).toEqual([
      ['NPM lodash 4.17.20', '2020-08-13 16:53 UTC'],
      ['NPM @types/node 1.0.0', 'not in the local data set'],
      ['NPM ms 2.1.2', 'MIT'],
      [''],
    ]);
    expect([code, note]).toEqual([1, '']);
  });

  it('--json is one answer without pages', async () => {
    service.pageSize = 2;
    const { out } = await insights('versions', '--json', '--file', file('versions.txt', versions));
    service.pageSize = 100;
    const body = {
      requests: [
        { versionKey: { system: 'NPM', name: 'lodash', version: '4.17.20' } },
        { versionKey: { system: 'NPM', name: '@types/node', version: '1.0.0' } },
        { versionKey: { system: 'NPM', name: 'ms', version: '2.1.2' } },
      ],
    };
    const response = await fetch(`${service.url}/v3alpha/versionbatch`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    expect(JSON.parse(out)).toEqual(await response.json());
  });

  it('sends the other requests when lines cannot be read or break a rule', async () => {
    const purls = file('purls.json', '["pkg:npm/lodash@4.17.20", 7, "pkg:npm/lodash", "pkg:oci/x@1"]');
    const { code, out, note } = await insights('purls', '--file', purls);
    expect(note).toMatch(/purls\.json, entry 2: 7/);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^pkg:npm\/lodash@4\.17\.20 {2}2020-08-13/),
      expect.stringMatching(/has a version \[purl-with-version\]/),
      expect.stringMatching(/\[purl-type\]/),
      '',
    ]);
    expect(code).toBe(2);
  });

  it('ends without an error when its reader closes the pipe', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `npm none-${index} 1.0.0`).join('\n');
    const command = `"${process.execPath}" "${MAIN}" insights versions --local --file "${file('many.txt', many)}" | head -1`;
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command]);
    expect([stdout, stderr]).toEqual(['NPM none-0 1.0.0  not in the local data set\n', '']);
  });

  it('accepts the request body of the API', async () => {
    const requests = [{ projectKey: { id: 'github.com/lodash/lodash' } }, { id: 'github.com/a/b' }];
    const projects = file('projects.json', JSON.stringify({ requests }, null, 2));
    const { out } = await insights('projects', '--file', projects);
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'github.com/lodash/lodash',
      'github.com/a/b',
      '',
    ]);
  });
});
