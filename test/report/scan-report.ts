import type { Finding } from '../../src/model/scan/finding.ts';
import type { Resolution, ResolvedPackage } from '../../src/model/scan/inventory.ts';
import type { Outcome } from '../../src/model/scan/outcome.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';

export function locked(name: string, resolution: Resolution): ResolvedPackage {
  return {
    id: `${name}@1.0.0`,
    ecosystem: 'npm',
    name,
    version: '1.0.0',
    purl: `pkg:npm/${name}@1.0.0`,
    direct: true,
    groups: [],
    line: 3,
    dependencies: [],
    resolution,
  };
}

export const finding: Finding = {
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

export function report(findings: readonly Finding[]): ScanReport {
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
