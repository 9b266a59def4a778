import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import { renderCyclonedx } from '../../src/report/cyclonedx/cyclonedx.ts';
import {
  type BomLockfile,
  type BomPackage,
  type BomSource,
  SPEC_VERSIONS,
  type SpecVersion,
  sourceOfScan,
} from '../../src/report/cyclonedx/source.ts';
import { compared, everything } from './html-report.ts';
import { finding, locked, report } from './scan-report.ts';

const HOSTILE = `"}]<script>\u202e\u0000 ${'long '.repeat(2_000)}`;
const VERSIONS = { '1.6': Version.v1dot6, '1.7': Version.v1dot7 };

function textOf(source: BomSource, version: SpecVersion = '1.6'): string {
  return [...renderCyclonedx(source, version)].join('');
}

// biome-ignore lint/suspicious/noExplicitAny: the schema checks the shape
function bomOf(source: BomSource): any {
  return JSON.parse(textOf(source));
}

function sourceOf(lockfiles: readonly BomLockfile[], findings: readonly Finding[] = []): BomSource {
  return { name: 'shop', lockfiles, unread: [], findings };
}

function packageOf(name: string, more: Partial<BomPackage> = {}): BomPackage {
  const { resolution: _, ...one } = locked(name, { outcome: 'resolved' });
  return { ...one, ...more };
}

function lockfile(path: string, packages: readonly BomPackage[]): BomLockfile {
  return { path, format: 'npm-package-lock', packages, problems: [] };
}

const hostile = sourceOf(
  [
    {
      ...lockfile(`a b/\ud800${HOSTILE}`, [
        packageOf(HOSTILE, {
          purl: `pkg:npm/${HOSTILE}`,
          groups: [HOSTILE],
          integrity: [{ algorithm: HOSTILE, value: HOSTILE, encoding: 'hex' }],
          source: { kind: 'url', url: `https://host/${HOSTILE}` },
          resolution: { outcome: 'failed', reason: HOSTILE },
        }),
      ]),
      problems: [{ kind: 'unread', message: HOSTILE }],
    },
  ],
  [
    {
      ...finding,
      package: { ...finding.package, purl: `pkg:npm/${HOSTILE}`, version: HOSTILE },
      advisory: { id: HOSTILE, aliases: [HOSTILE], title: HOSTILE, url: HOSTILE, vector: HOSTILE },
    },
  ],
);

describe.each(SPEC_VERSIONS)('CycloneDX %s', (version) => {
  it.each([
    ['a scan', sourceOfScan(report([finding]))],
    ['nothing', sourceOf([])],
    ['hostile texts', hostile],
    ['everything', sourceOfScan(everything(HOSTILE))],
    ['a comparison', sourceOfScan(compared(HOSTILE))],
  ])('is valid: %s', async (_name, source) => {
    const text = textOf(source, version);
    expect(await new JsonStrictValidator(VERSIONS[version]).validate(text)).toBeNull();
    expect(textOf(source, version)).toBe(text);
  });
});

describe('CycloneDX', () => {
  it('has one component for a package of several lockfiles, with every place and digest', () => {
    const digest = (byte: string) => ({
      algorithm: 'sha256',
      value: byte.repeat(32),
      encoding: 'hex' as const,
    });
    const [left, right] = [packageOf('left'), packageOf('right', { direct: false, line: 9 })];
    const bom = bomOf(
      sourceOf([
        lockfile('a.json', [{ ...left, dependencies: ['right@1.0.0'], integrity: [digest('ab')] }, right]),
        lockfile('b.json', [{ ...left, integrity: [digest('cd'), digest('ab')] }]),
      ]),
    );
    const ref = 'pkg:npm/left@1.0.0';
    const component = bom.components.find((one: { purl?: string }) => one.purl === ref);
    expect(component).toMatchObject({
      'bom-ref': ref,
      hashes: [
        { alg: 'SHA-256', content: 'ab'.repeat(32) },
        { alg: 'SHA-256', content: 'cd'.repeat(32) },
      ],
      evidence: {
        occurrences: [
          { location: 'a.json', line: 3 },
          { location: 'b.json', line: 3 },
        ],
      },
    });
    expect(bom.dependencies).toEqual([
      { ref: 'target', dependsOn: ['lockfile/a.json', 'lockfile/b.json'] },
      { ref: 'lockfile/a.json', dependsOn: [ref] },
      { ref: 'lockfile/b.json', dependsOn: [ref] },
      { ref, dependsOn: ['pkg:npm/right@1.0.0'] },
      { ref: 'pkg:npm/right@1.0.0' },
    ]);
  });

  it('leaves unknown dependencies out of the graph, and says what is incomplete', () => {
    const { dependencies: _, ...unknown } = packageOf('left');
    const source = sourceOf([
      { ...lockfile('a.txt', [unknown]), problems: [{ kind: 'unread', line: 2, message: 'bad' }] },
      lockfile('b.json', []),
    ]);
    const error = { code: 'syntax', message: 'c.json: not JSON' };
    const bom = bomOf({ ...source, unread: [{ path: 'c.json', error }] });
    expect(bom.dependencies.map(({ ref }: { ref: string }) => ref)).not.toContain('pkg:npm/left@1.0.0');
    expect(bom.compositions).toEqual([
      { aggregate: 'incomplete', assemblies: ['lockfile/a.txt'] },
      { aggregate: 'complete', assemblies: ['lockfile/b.json'] },
      { aggregate: 'incomplete', assemblies: ['lockfile/c.json'] },
    ]);
    expect(JSON.stringify(bom.components)).toContain('syntax: c.json: not JSON');
  });

  it('says what is new, unchanged and gone after a comparison', () => {
    const bom = bomOf(sourceOfScan(compared()));
    type Listed = {
      properties: { value: string }[];
      affects?: { ref: string }[];
      analysis: { state: string };
    };
    const listed = bom.vulnerabilities.map(({ properties, affects = [], analysis }: Listed) => [
      properties.map(({ value }) => value),
      affects.map(({ ref }) => ref),
      analysis.state,
    ]);
    expect(listed).toEqual([
      [['unchanged'], ['pkg:npm/qs@1.0.0'], 'in_triage'],
      [['new'], [], 'in_triage'],
      [['unchanged'], ['pkg:npm/qs@1.0.0'], 'in_triage'],
      [['gone', 'pkg:npm/old@1.0.0'], [], 'resolved'],
    ]);
    expect(bom.metadata.properties).toEqual([
      { name: 'lockhound:compared-with', value: 'main... (1234567890ab)' },
      { name: 'lockhound:finding:gone', value: 'pkg:npm/old@1.0.0 deprecated: Prototype pollution' },
    ]);
    const noted = bom.components.filter((one: { properties?: { name: string }[] }) =>
      one.properties?.some(({ name }) => name === 'lockhound:finding:new'),
    );
    expect(noted.map(({ purl }: { purl: string }) => purl)).toEqual(['pkg:npm/qs@1.0.0']);
  });

  it('has a serial number that depends on the contents, and not on the time', () => {
    const source = sourceOfScan(everything());
    const { serialNumber } = bomOf(source);
    expect(bomOf({ ...source, at: '2030-01-01T00:00:00.000Z' }).serialNumber).toBe(serialNumber);
    expect(bomOf({ ...source, name: 'another' }).serialNumber).not.toBe(serialNumber);
    expect(bomOf(sourceOfScan(compared())).serialNumber).not.toBe(serialNumber);
  });

  it('has a vulnerability for each advisory, with what it affects and the state of its analysis', () => {
    const other: Finding = { ...finding, package: { ...finding.package, purl: 'pkg:npm/down@1.0.0' } };
    const bom = bomOf(sourceOfScan(report([finding, { ...other, advice: 'Upgrade to 2.0.0' }])));
    expect(bom.vulnerabilities).toEqual([
      {
        'bom-ref': 'vulnerability/GHSA-x',
        id: 'GHSA-x',
        source: { name: 'GITHUB', url: 'https://github.com/advisories/GHSA-x' },
        references: [{ id: 'CVE-1', source: { name: 'NVD', url: 'https://nvd.nist.gov/vuln/detail/CVE-1' } }],
        ratings: [{ score: 7.5, severity: 'high' }],
        description: 'Prototype pollution',
        recommendation: 'Upgrade to 2.0.0',
        advisories: [{ url: 'https://osv.dev/x' }],
        analysis: { state: 'in_triage' },
        affects: [
          { ref: 'pkg:npm/left@1.0.0', versions: [{ version: '1.0.0', status: 'affected' }] },
          { ref: 'pkg:npm/down@1.0.0', versions: [{ version: '1.0.0', status: 'affected' }] },
        ],
      },
    ]);
  });

  it('tells in the analysis what was decided about packages for which it is suppressed', () => {
    const suppressed = { by: 'x', source: 'configuration' as const, reason: 'unused' };
    const bom = bomOf(
      sourceOfScan(
        report([
          finding,
          { ...finding, suppressed },
          { ...finding, suppressed: { ...suppressed, source: 'vex' } },
        ]),
      ),
    );
    expect(bom.vulnerabilities.map(({ analysis }: { analysis: object }) => analysis)).toEqual([
      { state: 'in_triage' },
      { state: 'in_triage', response: ['will_not_fix'], detail: 'suppressed: unused (x)' },
      { state: 'not_affected', detail: 'suppressed: unused (x)' },
    ]);
    const refs = bom.vulnerabilities.map((one: Record<string, unknown>) => one['bom-ref']);
    expect(new Set(refs).size).toBe(3);
  });

  it.each([
    [['MIT'], [{ license: { id: 'MIT' } }]],
    [
      ['mit', 'Apache-2.0'],
      [{ license: { id: 'MIT' } }, { license: { id: 'Apache-2.0' } }],
    ],
    [['(MIT OR LicenseRef-x) AND ISC+'], [{ expression: '(MIT OR LicenseRef-x) AND ISC+' }]],
    [['MIT OR Unknown-1'], [{ license: { name: 'MIT OR Unknown-1' } }]],
    [['MIT OR Apache-2.0'], [{ expression: 'MIT OR Apache-2.0' }]],
    [['non-standard', ''], [{ license: { name: 'non-standard' } }]],
    [
      ['MIT OR Apache-2.0', 'ISC'],
      [{ license: { name: 'MIT OR Apache-2.0' } }, { license: { id: 'ISC' } }],
    ],
  ])('has licences as SPDX where they are: %j', (licenses, expected) => {
    const versionKey = { system: 'NPM' as const, name: 'left', version: '1.0.0' };
    const record = { versionKey, isDefault: true, isDeprecated: false, licenses, advisoryIds: [] };
    const one = locked('left', { outcome: 'resolved', record });
    const [, component] = bomOf(sourceOf([lockfile('a.json', [one])])).components;
    expect(component.licenses).toEqual(expected);
  });
});

it('a BOM says that findings were cut', () => {
  const whole = report([finding]);
  const reason = '7 more, the least severe ones, are left out';
  const gaps = [
    ...whole.verdict.gaps,
    { kind: 'cut' as const, subject: 'findings after the first 50000', reason },
  ];
  const cut = { ...whole, verdict: { ...whole.verdict, gaps } };
  const stated = (one: typeof whole) =>
    (bomOf(sourceOfScan(one)).metadata.properties ?? []).map(
      ({ name, value }: { name: string; value: string }) => `${name}: ${value}`,
    );
  expect(stated(whole)).toEqual([]);
  expect(stated(cut)).toEqual([`lockhound:findings:cut: ${reason}`]);
});
