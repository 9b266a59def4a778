import { describe, expect, it } from 'vitest';
import type { Finding, Severity } from '../../src/model/scan/finding.ts';
import type { ResolvedPackage } from '../../src/model/scan/inventory.ts';
import type { Outcome, Resolution } from '../../src/model/scan/resolution.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderText } from '../../src/report/text.ts';

function locked(name: string, resolution: Resolution): ResolvedPackage {
  return {
    id: `${name}@1.0.0`,
    ecosystem: 'npm',
    name,
    version: '1.0.0',
    purl: `pkg:npm/${name}@1.0.0`,
    direct: true,
    groups: [],
    integrity: [],
    source: { kind: 'registry' },
    line: 3,
    dependencies: [],
    resolution,
  };
}

const finding: Finding = {
  fingerprint: 'f1',
  rule: 'vulnerability',
  level: 'alert',
  severity: 'high',
  title: 'Prototype pollution\u001b[2J',
  package: {
    ecosystem: 'npm',
    name: 'left',
    version: '1.0.0',
    purl: 'pkg:npm/left@1.0.0',
    direct: false,
    groups: [],
  },
  locations: [{ path: 'web/package-lock.json', line: 12, dependencyPath: ['right@2.0.0', 'left@1.0.0'] }],
  advisory: {
    id: 'GHSA-x',
    aliases: ['CVE-1'],
    title: 'Prototype pollution',
    url: 'https://osv.dev/x',
    score: 7.5,
  },
};

function report(findings: readonly Finding[]): ScanReport {
  const outcomes: Record<Outcome, number> = {
    resolved: 1,
    missing: 0,
    unsupported: 0,
    private: 0,
    failed: 1,
    uncovered: 0,
  };
  const severities: Record<Severity, number> = {
    critical: 0,
    high: 0,
    medium: 0,
    low: 0,
    none: 0,
    unrated: 0,
  };
  const alerts = findings.filter(({ level }) => level === 'alert');
  for (const { severity } of alerts) severities[severity] += 1;
  const notes = findings.length - alerts.length;
  return {
    inventory: {
      lockfiles: [
        {
          path: 'web/package-lock.json',
          sha256: 'ab',
          format: 'npm-package-lock',
          packages: [
            locked('left', { outcome: 'resolved' }),
            locked('down', { outcome: 'failed', reason: 'no answer from https://insights.example' }),
          ],
          problems: [],
        },
      ],
      unread: [{ path: 'bad.json', sha256: 'cd', error: { code: 'syntax', message: 'bad.json: not JSON' } }],
    },
    verdict: {
      scan: 's1',
      target: { id: 't', labels: {} },
      requestedAt: '2026-01-01T00:00:00Z',
      findings,
      changes: findings.map((one) => ({ transition: 'opened', finding: one })),
      gaps: [{ kind: 'package', subject: 'pkg:npm/down@1.0.0', reason: 'no answer' }],
      complete: false,
      partial: false,
      open: severities,
      kept: 0,
      counts: { lockfiles: 1, packages: 2, outcomes, severities, notes },
      superseded: false,
    },
  };
}

describe('the text report', () => {
  const text = renderText(report([finding]), { colour: false, width: 100 });

  it('shows a finding with its names, place and path', () => {
    expect(text).toContain('high 7.5');
    expect(text).toContain('left@1.0.0  GHSA-x CVE-1');
    expect(text).toContain('web/package-lock.json:12  right@2.0.0 › left@1.0.0');
    expect(text).toContain('1 finding in 2 packages: 1 high');
  });

  it('lists its gaps', () => {
    expect(text).toContain('2 packages: 1 resolved, 1 failed');
    expect(text).toContain('1 gap: what could not be found out');
    expect(text).toContain('package pkg:npm/down@1.0.0: no answer');
    expect(text).toContain('bad.json  not read: not JSON');
  });

  it('escapes control characters from outside', () => {
    expect(text).not.toContain('\u001b');
    expect(text).toContain('\\u001b[2J');
  });

  it('is coloured only on request', () => {
    expect(renderText(report([finding]), { colour: true, width: 100 })).toContain('\u001b[31m');
  });

  it('reports that there are no findings', () => {
    const whole = report([]);
    const text = renderText(
      { ...whole, verdict: { ...whole.verdict, gaps: [] } },
      { colour: false, width: 100 },
    );
    expect(text).toContain('No findings in 2 packages.');
  });

  it('does not call an incomplete scan clean', () => {
    expect(renderText(report([]), { colour: false, width: 100 })).toContain(
      'the scan is incomplete: 2 packages read',
    );
  });
});

describe('the JSON report', () => {
  it('lists every package with its outcome', () => {
    const document = JSON.parse([...renderJson(report([finding]))].join(''));
    expect(document.schema).toBe('lockhound.scan/1');
    const packages = document.lockfiles[0].packages;
    expect(packages.map((one: { outcome: string }) => one.outcome)).toEqual(['resolved', 'failed']);
    expect(packages[1].reason).toContain('no answer');
    expect(document.changes).toEqual([{ transition: 'opened', fingerprint: 'f1' }]);
  });

  it('is returned in parts of limited size', () => {
    const scanned = report([finding]);
    const [lockfile] = scanned.inventory.lockfiles;
    if (lockfile === undefined) throw new RangeError('the report has no lockfile');
    const packages = Array.from({ length: 101 }, (_, round) =>
      lockfile.packages.map((one) => ({ ...one, id: `${one.id}-${round}` })),
    ).flat();
    const inventory = { ...scanned.inventory, lockfiles: [{ ...lockfile, packages }, lockfile] };
    const parts = [...renderJson({ ...scanned, inventory })];
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(100 * 1_000);
    const document = JSON.parse(parts.join(''));
    expect(document.lockfiles.map((one: { packages: unknown[] }) => one.packages.length)).toEqual([202, 2]);
    expect(document.lockfiles[0].packages.map(({ id }: { id: string }) => id)).toEqual(
      packages.map(({ id }) => id),
    );
    expect(parts.join('')).toBe(`${JSON.stringify(document)}\n`);
  });
});
