import type { Log, Result, Run } from 'sarif';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { RULE_NAMES } from '../../src/policy/catalog.ts';
import { renderSarif } from '../../src/report/sarif/sarif.ts';
import { finding, locked, report } from './scan-report.ts';

function runOf(scanned: ScanReport): Run {
  const [run] = (JSON.parse([...renderSarif(scanned)].join('')) as Log).runs;
  if (run === undefined) throw new Error('there is no run');
  return run;
}

function resultsOf(...findings: readonly Finding[]): readonly Result[] {
  return runOf(report(findings)).results ?? [];
}

const fingerprintOf = (result: Result | undefined) =>
  Object.entries(result?.partialFingerprints ?? {}).map(([name, value]) => `${name} ${value}`);

describe('a scan as SARIF', () => {
  it('has a rule for each advisory, with what code scanning shows', () => {
    const deprecated: Finding = {
      ...finding,
      rule: 'deprecated',
      level: 'note',
      title: 'Deprecated: use another',
      advisory: undefined as never,
      issue: '1.0.0',
    };
    const rules = runOf(report([finding, { ...finding, locations: [] }, deprecated])).tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual(['GHSA-x', 'deprecated']);
    expect(rules[0]).toMatchObject({
      shortDescription: { text: expect.stringContaining('GHSA-x: Prototype pollution') },
      helpUri: 'https://osv.dev/x',
      help: { markdown: expect.stringContaining('<code>GHSA-x</code>, <code>CVE-1</code>') },
      defaultConfiguration: { level: 'error' },
      properties: { 'security-severity': '7.5', tags: expect.arrayContaining(['security']) },
    });
    expect(rules[1]?.defaultConfiguration).toEqual({ level: 'note' });
    expect(rules[1]?.properties).not.toHaveProperty('security-severity');
  });

  it.each(RULE_NAMES.filter((name) => name !== 'vulnerability'))(
    'has a heading for a finding without an advisory: %s',
    (rule) => {
      const { advisory: _, ...rest } = finding;
      const [descriptor] = runOf(report([{ ...rest, rule }])).tool.driver.rules ?? [];
      expect(descriptor?.shortDescription?.text).toMatch(/^[A-Z].+ /);
    },
  );

  it('has a result for each place, with its line and the way to it', () => {
    const scanned = report([finding]);
    const [file] = scanned.inventory.lockfiles;
    const packages = [{ ...locked('right', { outcome: 'resolved' }), id: 'right@2.0.0', line: 7 }];
    const lockfiles = file === undefined ? [] : [{ ...file, packages }];
    const [result, ...others] =
      runOf({ ...scanned, inventory: { ...scanned.inventory, lockfiles } }).results ?? [];
    expect(others).toEqual([]);
    expect(result).toMatchObject({ ruleId: 'GHSA-x', ruleIndex: 0, level: 'error' });
    expect(result?.message.text).toMatch(/^left@1\.0\.0: Prototype pollution.*, required by right@2\.0\.0\./);
    const placeAt = (startLine: number) => ({
      physicalLocation: {
        artifactLocation: { uri: 'web/package-lock.json', uriBaseId: '%SRCROOT%' },
        region: { startLine },
      },
    });
    expect(result?.locations).toEqual([placeAt(12)]);
    const steps = result?.codeFlows?.[0]?.threadFlows[0]?.locations.map(({ location }) => location);
    expect(steps).toMatchObject([placeAt(7), placeAt(1)]);
  });

  it('has fingerprints that stay with the issue and differ between places', () => {
    const [location] = finding.locations;
    if (location === undefined) throw new Error('the finding has no location');
    const at = (version: string, path = location.path): Finding => ({
      ...finding,
      package: { ...finding.package, version },
      locations: [{ ...location, path }],
    });
    const [before] = resultsOf(at('1.0.0')).map(fingerprintOf);
    expect(resultsOf({ ...at('1.0.1'), fingerprint: 'other' }).map(fingerprintOf)).toEqual([before]);
    const both = resultsOf(at('1.0.0'), at('2.0.0'), at('1.0.0', 'api/package-lock.json')).map(fingerprintOf);
    expect(new Set(both.map(String)).size).toBe(3);
    expect(String(before)).toMatch(/^lockhound\/finding\/v1 [0-9a-f]{32}$/);
  });

  it('says what could not be found out', () => {
    const [invocation] = runOf(report([])).invocations ?? [];
    expect(invocation?.executionSuccessful).toBe(false);
    expect(invocation?.toolExecutionNotifications).toEqual([
      {
        level: 'warning',
        descriptor: { id: 'gap/package' },
        message: { text: 'pkg:npm/down@1.0.0: no answer' },
      },
    ]);
  });

  it('lists at most what code scanning accepts, and counts the rest', () => {
    const [location] = finding.locations;
    const locations = Array.from({ length: 26_000 }, (_, index) => ({
      path: location?.path ?? '',
      line: index + 1,
      dependencyPath: [],
    }));
    const { results, invocations } = runOf(report([{ ...finding, locations }]));
    expect(results).toHaveLength(25_000);
    expect(JSON.stringify(invocations)).toContain('1000 more places of findings');
  });

  it('counts gone findings that it does not list', () => {
    const gone = Array<Finding>(1_003).fill(finding);
    const base = { kind: 'git' as const, name: 'main', commit: 'c' };
    const comparison: NonNullable<ScanReport['comparison']> = {
      base,
      introduced: [],
      refused: [],
      gone,
      newGaps: [],
      baseGaps: 0,
    };
    const notifications = runOf({ ...report([]), comparison }).invocations?.[0]?.toolExecutionNotifications;
    expect(notifications?.map(({ message }) => message.text)).toContain(
      '3 more findings that are gone are not listed: the JSON report has all',
    );
  });

  it('keeps hostile names harmless, and encodes paths', () => {
    const hostile: Finding = {
      ...finding,
      title: '[click](https://evil.example)\u202e',
      locations: [{ path: 'a b/%2e/ü#.json', dependencyPath: [] }],
    };
    const [result] = resultsOf(hostile);
    expect(result?.message.text).toContain('\\[click\\](https://evil.example)\\u202e');
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe(
      'a%20b/%252e/%C3%BC%23.json',
    );
  });

  it('is the same for the same report', () => {
    expect([...renderSarif(report([finding]))]).toEqual([...renderSarif(report([finding]))]);
  });
});
