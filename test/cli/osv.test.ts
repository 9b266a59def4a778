import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { affectedVersions } from '../../src/insights/losses/witnesses.ts';
import { createFeedServer } from '../advisories/feed-server.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'cli-osv-'));
const LOCK = {
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { left: '^1.0.0', ms: '2.1.2' } },
    'node_modules/left': { version: '1.1.0' },
    'node_modules/ms': { version: '2.1.2' },
  },
};

const affected = (name: string, events: readonly object[]) => [
  { package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] },
];
const RECORDS = [
  {
    id: 'GHSA-left',
    modified: '2026-05-01T00:00:00Z',
    summary: 'left is wrong',
    aliases: ['CVE-2026-1'],
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    affected: affected('left', [{ introduced: '0' }, { fixed: '1.2.0' }]),
  },
  {
    id: 'MAL-2026-1',
    modified: '2026-05-02T00:00:00Z',
    summary: 'Malicious code in gone',
    affected: affected('gone', [{ introduced: '0' }]),
  },
];

/** The well-known versions that prove that the advisories of a system are all there. */
const WITNESSES = affectedVersions('NPM').map(({ name, version }, at) => {
  const named = { ecosystem: 'npm', name };
  const id = `GHSA-witness-${at}`;
  return { id, modified: '2026-05-01T00:00:00Z', affected: [{ package: named, versions: [version] }] };
});

let insights: Awaited<ReturnType<typeof startInsightsService>>;
beforeAll(async () => {
  insights = await startInsightsService({ partial: false });
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(LOCK));
  writeFileSync(join(folder, 'records.json'), JSON.stringify([...RECORDS, ...WITNESSES]));
  writeFileSync(join(folder, 'few.json'), JSON.stringify(RECORDS));
  vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'data'));
  vi.stubEnv('LOCKHOUND_INSIGHTS_URL', insights.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await insights.close();
  rmSync(folder, { recursive: true });
});

async function scanned(sources: string, path = join(folder, 'package-lock.json')) {
  vi.stubEnv('LOCKHOUND_INSIGHTS_SOURCES', sources);
  const { code, out, note } = await lockhound(['scan', '--json', path]);
  return { code, note, report: out === '' ? undefined : JSON.parse(out) };
}

function findingsIn(report: {
  findings: readonly { rule: string; severity: string; package: { purl: string } }[];
}) {
  return report.findings.map(({ rule, severity, package: { purl } }) => `${severity} ${rule} ${purl}`).sort();
}

describe('advisories in the OSV format', () => {
  it('have to be imported before they can be a source', async () => {
    const { code, note } = await scanned('osv');
    expect(code).toBe(2);
    expect(note).toMatch(/no advisories are imported: `lockhound data import osv/);
  });

  it('cannot be imported into a folder that cannot be made, which is an error without a stack', async () => {
    vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'few.json', 'data'));
    const { code, note } = await lockhound(['data', 'import', 'osv', join(folder, 'records.json')]);
    vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'data'));
    expect(code).toBe(2);
    expect(note).toMatch(/^error: ENOTDIR: not a directory, mkdir '[^']*few\.json\/data' \[ENOTDIR\]$/m);
    expect(note).not.toMatch(/^\s+at /m);
  });

  it('are imported, and listed with their date', async () => {
    const { code, out } = await lockhound(['data', 'import', 'osv', join(folder, 'records.json'), '--json']);
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      code: 0,
      stored: RECORDS.length + WITNESSES.length,
      rejected: 0,
    });
    const shown = await lockhound(['data', 'show', '--json']);
    expect(JSON.parse(shown.out)[0].advisories).toMatchObject([
      { system: 'NPM', records: RECORDS.length + WITNESSES.length, asOf: '2026-05-02T00:00:00Z' },
    ]);
  });

  it('are enough to scan without any service, which then says what it does not know', async () => {
    const before = insights.stats().entries;
    const { code, report } = await scanned('osv');
    expect(insights.stats().entries).toBe(before);
    expect(code).toBe(1);
    expect(findingsIn(report)).toEqual(['critical vulnerability pkg:npm/left@1.1.0']);
    expect(report.counts.outcomes).toMatchObject({ resolved: 2, missing: 0, uncovered: 0 });
    expect(report.gaps).toEqual([
      {
        kind: 'source',
        subject: 'package insights',
        reason: expect.stringMatching(/^2 packages are known by imported advisories alone:/),
      },
    ]);
    expect(report.complete).toBe(true);
    expect(report.findings[0].advice).toMatch(
      / left 1\.2\.0\..* OSV names the fixed version\.$|left 1\.1\.0 → 1\.2\.0.* OSV names/,
    );
    expect(report.offline).toEqual({
      oldest: '2026-05-02T00:00:00.000Z',
      newest: '2026-05-02T00:00:00.000Z',
    });
    const none = join(folder, 'none', 'package-lock.json');
    mkdirSync(join(folder, 'none'));
    writeFileSync(
      none,
      JSON.stringify({ lockfileVersion: 3, packages: { 'node_modules/ms': { version: '2.1.2' } } }),
    );
    expect(await scanned('osv', none)).toMatchObject({ code: 0 });
    const { out } = await lockhound(['scan', '--json', '--offline', join(folder, 'package-lock.json')]);
    expect(findingsIn(JSON.parse(out))).toEqual(findingsIn(report));
  });

  it('of which some are missing are not believed to be all', async () => {
    vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'few'));
    await lockhound(['data', 'import', 'osv', join(folder, 'few.json')]);
    const { report } = await scanned('osv');
    vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'data'));
    expect(report.complete).toBe(false);
    expect(report.gaps).toContainEqual(expect.objectContaining({ kind: 'service' }));
  });

  it.each(['osv', 'api, osv'])('say that they cannot decide, with the sources %s', async (sources) => {
    const unread = { ...RECORDS[0], id: 'GHSA-unread', affected: affected('ms', [{ introduced: '1 x' }]) };
    const file = join(folder, 'unread.json');
    writeFileSync(file, JSON.stringify([...RECORDS, ...WITNESSES, unread]));
    vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'unread'));
    await lockhound(['data', 'import', 'osv', file]);
    insights.putPackage({ system: 'NPM', name: 'ms', default: '2.1.2', versions: [{ version: '2.1.2' }] });
    const { report } = await scanned(sources);
    vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'data'));
    expect(report.complete).toBe(false);
    expect(findingsIn(report)).toContain('critical vulnerability pkg:npm/left@1.1.0');
    expect(report.gaps).toContainEqual({
      kind: 'rule',
      subject: 'pkg:npm/ms@2.1.2',
      reason: expect.stringMatching(
        /^rule vulnerability cannot tell whether GHSA-unread affects this version/,
      ),
    });
  });

  it('say which version is fixed', async () => {
    vi.stubEnv('LOCKHOUND_INSIGHTS_SOURCES', 'osv');
    const { out } = await lockhound(['fix', join(folder, 'package-lock.json')]);
    expect(out).toMatch(/left 1\.1\.0 → 1\.2\.0/);
    expect(out).toMatch(/OSV names the fixed versions/);
  });

  it('say nothing about an ecosystem of which none are imported', async () => {
    const path = join(folder, 'requirements.txt');
    writeFileSync(path, 'django==2.2\n');
    const { code, report } = await scanned('osv', path);
    expect(code).toBe(2);
    expect(report.counts.outcomes).toMatchObject({ resolved: 0, uncovered: 1 });
  });

  it('are added to what the service says, also about versions that it does not have', async () => {
    insights.putPackage({ system: 'NPM', name: 'left', default: '1.1.0', versions: [{ version: '1.1.0' }] });
    insights.learnAdvisory({
      id: 'GHSA-other',
      title: 'another issue of left',
      aliases: [],
      affected: [{ system: 'NPM', name: 'left', range: '*' }],
      heldBack: false,
    });
    const path = join(folder, 'npm-shrinkwrap.json');
    const packages = { ...LOCK.packages, 'node_modules/gone': { version: '1.0.0' } };
    writeFileSync(path, JSON.stringify({ ...LOCK, packages }));
    const { report } = await scanned('api,osv', path);
    expect(findingsIn(report)).toEqual([
      'critical vulnerability pkg:npm/gone@1.0.0',
      'critical vulnerability pkg:npm/left@1.1.0',
      'unrated vulnerability pkg:npm/left@1.1.0',
    ]);
    expect(report.gaps).toContainEqual({
      kind: 'source',
      subject: 'package insights',
      reason: expect.stringMatching(/^one package is known/),
    });
  });

  it('are not enough for signals', async () => {
    vi.stubEnv('LOCKHOUND_INSIGHTS_SOURCES', 'osv');
    const { code, note } = await lockhound(['scan', '--signals', join(folder, 'package-lock.json')]);
    expect([code, note]).toEqual([2, expect.stringMatching(/signals need the package-insights API/)]);
  });

  it('are updated by a list of changes, or say why not', async () => {
    const without = await lockhound(['data', 'update']);
    expect([without.code, without.note]).toEqual([2, expect.stringContaining('data.osv.url')]);
    const feed = await createFeedServer();
    vi.stubEnv('LOCKHOUND_DATA_OSV_URL', feed.url);
    const update = async () => {
      const { code, out } = await lockhound(['data', 'update', '--json']);
      return { code, npm: JSON.parse(out).ecosystems[0] };
    };
    const now = new Date(Date.now() - 60_000).toISOString();
    feed.put('GHSA-new', now);
    expect(await update()).toMatchObject({ code: 0, npm: { ecosystem: 'npm', stored: 1 } });
    feed.put('GHSA-bad', now, { body: '<html>' });
    expect(await update()).toMatchObject({ code: 1, npm: { stored: 0, rejected: 1 } });
    feed.fail(503);
    expect(await update()).toMatchObject({ code: 2, npm: { fault: expect.stringContaining('HTTP 503') } });
    expect(findingsIn((await scanned('osv')).report).length).toBe(2);
    await feed.close();
  });

  it('say nothing of licences', async () => {
    vi.stubEnv('LOCKHOUND_INSIGHTS_SOURCES', 'osv');
    const old = join(folder, 'old');
    mkdirSync(old);
    writeFileSync(
      join(old, 'package-lock.json'),
      JSON.stringify({ lockfileVersion: 3, packages: { '': {} } }),
    );
    const current = join(folder, 'package-lock.json');
    const { code, out } = await lockhound([
      'diff',
      join(old, 'package-lock.json'),
      current,
      '--licences',
      '--json',
    ]);
    const { complete, newLicences, gaps } = JSON.parse(out);
    expect([code, complete, newLicences]).toEqual([2, false, []]);
    expect(gaps.length).toBeGreaterThan(0);
  });

  it('leave an error of the service an error', async () => {
    insights.faults.inject({ kind: 'answer', status: 403 }, { every: 1 });
    const { code, report, note } = await scanned('api,osv');
    insights.faults.clear();
    expect(code).toBe(2);
    expect(report).toBeUndefined();
    expect(note).toMatch(/403/);
  });
});

describe('ecosystems that the service does not have', () => {
  const other = join(folder, 'other');
  const DIST = { dist: { type: 'zip', url: 'https://example.com/x.zip', shasum: '' } };
  const HOME = { 'notification-url': 'https://packagist.org/downloads/' };
  const FILES = {
    'composer.lock': JSON.stringify({
      _readme: ['This file locks the dependencies of your project to a known state'],
      packages: [
        { name: 'Acme/Tool', version: 'v1.4.0', ...DIST, ...HOME },
        { name: 'acme/branch', version: 'dev-main', ...DIST, ...HOME },
      ],
      'packages-dev': [],
    }),
    'pubspec.lock': `# Generated by pub
packages:
  tool:
    dependency: "direct main"
    description: { name: tool, url: "https://pub.dev" }
    source: hosted
    version: "1.4.0+1"
sdks: { dart: ">=3.0.0 <4.0.0" }
`,
    'mix.lock': `%{
  "tool": {:hex, :tool, "1.4.0", "${'0'.repeat(64)}", [:mix], [], "hexpm", "${'1'.repeat(64)}"},
}
`,
    'Package.resolved': JSON.stringify({
      pins: [
        {
          identity: 'tool',
          kind: 'remoteSourceControl',
          location: 'https://github.com/Acme/tool.git',
          state: { revision: '0'.repeat(40), version: '1.4.0' },
        },
      ],
      version: 2,
    }),
  };
  const NAMES = [
    ['Packagist', 'acme/tool'],
    ['Packagist', 'acme/branch'],
    ['Pub', 'tool'],
    ['Hex', 'tool'],
    ['SwiftURL', 'https://github.com/acme/tool'],
  ] as const;
  const PURLS = [
    ...['pkg:composer/acme/tool@v1.4.0', 'pkg:hex/tool@1.4.0', 'pkg:pub/tool@1.4.0+1'],
    'pkg:swift/github.com/Acme/tool@1.4.0',
  ];
  beforeAll(async () => {
    mkdirSync(other);
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(other, name), text);
    const records = NAMES.map(([ecosystem, name], at) => {
      const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0.0' }, { fixed: '1.5.0' }] }];
      return {
        id: `GHSA-other-${at}`,
        modified: '2026-05-01T00:00:00Z',
        affected: [{ package: { ecosystem, name }, ranges }],
      };
    });
    writeFileSync(join(folder, 'other.json'), JSON.stringify(records));
    vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'other-data'));
    await lockhound(['data', 'import', 'osv', join(folder, 'other.json')]);
  });
  afterAll(() => vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'data')));

  it.each(['osv', 'api,osv'])('are known by imported advisories with %s', async (sources) => {
    const before = insights.stats().entries;
    const { report } = await scanned(sources, other);
    expect(insights.stats().entries).toBe(before);
    expect(findingsIn(report)).toEqual(PURLS.map((purl) => `unrated vulnerability ${purl}`));
    expect(report.counts.outcomes).toMatchObject({ resolved: 5, unsupported: 0 });
    const reasons = report.gaps.map(({ reason }: { reason: string }) => reason).join('\n');
    expect(report.gaps).toContainEqual({
      kind: 'rule',
      subject: 'pkg:composer/acme/branch@dev-main',
      reason: expect.stringContaining('cannot tell whether GHSA-other-1 affects this version'),
    });
    for (const system of ['PACKAGIST', 'PUB', 'HEX', 'SWIFTURL'])
      expect(reasons).toContain(`(${system}), although there are some: it seems to have lost advisories`);
  });

  it('have commands that upgrade', async () => {
    vi.stubEnv('LOCKHOUND_INSIGHTS_SOURCES', 'osv');
    writeFileSync(join(other, 'composer.json'), JSON.stringify({ require: { 'acme/tool': '^1.0' } }));
    const { out } = await lockhound(['fix', other]);
    expect(out).toContain('composer require --with-dependencies Acme/Tool:^1.5.0');
    expect(out).toContain('dart pub add tool:^1.5.0');
  });

  it('are uncovered without records of them, and unsupported without imports', async () => {
    vi.stubEnv('LOCKHOUND_DATA_FOLDER', join(folder, 'data'));
    for (const [sources, outcome] of [
      ['api,osv', 'uncovered'],
      ['api', 'unsupported'],
    ] as const) {
      const { report } = await scanned(sources, other);
      expect(report.counts.outcomes).toMatchObject({ resolved: 0, [outcome]: 5 });
      expect(report.findings).toEqual([]);
      expect(report.gaps).not.toEqual([]);
    }
  });
});
