import type { Fix } from '../../src/model/advice/fix.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { finding, locked, report } from './scan-report.ts';

/** Text that would run or load something, or end an element, if it were mark-up. */
export const HOSTILE =
  '"\'><script>globalThis.hacked=1</script><img src="https://evil.example/x" onerror="hacked=2"></style></title><!--\u202e\u0000';

/** A package that three others lead to, one of them in a cycle. */
const EDGES: Readonly<Record<string, readonly string[]>> = {
  express: ['body-parser', 'qs'],
  'body-parser': ['qs'],
  qs: ['side-channel'],
  'side-channel': ['qs'],
};

/** A scan with every part of the HTML report. Texts from outside are `text`, where it is given. */
export function everything(text?: string): ScanReport {
  const of = (value: string) => text ?? value;
  const scanned = report(findings(of));
  const packages = Object.entries(EDGES).map(([name, to]) => ({
    ...locked(name, { outcome: 'resolved', record: recordOf(of('MIT')) }),
    direct: name === 'express',
    dependencies: to.map((one) => `${one}@1.0.0`),
  }));
  const odd = { ...locked(of('odd'), { outcome: 'failed', reason: of('no answer') }), version: of('1.0.0') };
  const [file] = scanned.inventory.lockfiles;
  if (file === undefined) throw new RangeError('the report has no lockfile');
  const change = { name: of('qs'), from: '1.0.0', to: of('1.0.1'), how: 're-lock' as const };
  const plan = {
    path: 'web/package-lock.json',
    steps: [{ changes: [change], commands: [], clears: [{ id: of('qs@1.0.0'), findings: 2 }] }],
    commands: [of('npm update qs'), of('npm update left')],
    breaking: {
      steps: [{ changes: [change], commands: [], clears: [{ id: of('express@1.0.0'), findings: 1 }] }],
      commands: [of('npm install express@2.0.0')],
    },
    stays: [
      { id: of('left@1.0.0'), findings: 1, kind: 'none' as const, reason: of('all versions are affected') },
    ],
  };
  return {
    advice: { plans: [plan], unadvised: [{ path: of('a'), id: of('b'), reason: of('not known') }] },
    inventory: { ...scanned.inventory, lockfiles: [{ ...file, packages: [...packages, odd] }] },
    verdict: {
      ...scanned.verdict,
      target: { id: of('shop'), labels: {} },
      gaps: [{ kind: 'package', subject: of('pkg:npm/down@1.0.0'), reason: of('no answer') }],
      unusedSuppressions: [{ id: of('suppressions[1]'), reason: of('matches no finding') }],
    },
  };
}

/** The same scan after a comparison: `left` is new, one finding is gone, and the others are unchanged. */
export function compared(text?: string): ScanReport {
  const scanned = everything(text);
  const [qs] = scanned.verdict.findings;
  if (qs === undefined) throw new RangeError('the report has no finding');
  const gone = { ...qs.package, name: text ?? 'old', purl: 'pkg:npm/old@1.0.0' };
  const { advisory: _, ...noted } = { ...qs, rule: 'deprecated', package: gone };
  const comparison: ScanReport['comparison'] = {
    base: { kind: 'git', name: text ?? 'main...', commit: '1234567890abcdef' },
    introduced: ['f3', 'f4'],
    refused: ['f5'],
    gone: [{ ...qs, package: gone }, noted],
    newGaps: [],
    baseGaps: 2,
  };
  return { ...scanned, comparison };
}

function findings(of: (value: string) => string): readonly Finding[] {
  const place = { path: 'web/package-lock.json', line: 12, dependencyPath: ['express@1.0.0', 'qs@1.0.0'] };
  const qs: Finding = {
    ...finding,
    title: of('Prototype pollution'),
    advice: of('Upgrade express to 2.0.0'),
    fixes: [fixOf(of)],
    priority: { score: 60, parts: [{ name: 'severity', points: 60, reason: of('CVSS 7.5') }] },
    package: { ...finding.package, name: of('qs'), purl: 'pkg:npm/qs@1.0.0' },
    locations: [place],
    advisory: {
      id: of('GHSA-aaaa-bbbb-cccc'),
      aliases: [of('CVE-1')],
      title: of('Prototype pollution'),
      url: of('https://osv.dev/x'),
      vector: of('CVSS:3.1/AV:N'),
      score: 7.5,
    },
  };
  const { advisory: _, ...plain } = qs;
  const left = { ...finding.package, name: of('left'), direct: true };
  const suppressed = { by: of('x'), source: 'configuration' as const, reason: of('unused') };
  return [
    qs,
    { ...qs, fingerprint: 'f2', severity: 'low' },
    {
      ...qs,
      fingerprint: 'f3',
      severity: 'critical',
      package: left,
      locations: [{ ...place, dependencyPath: [] }],
    },
    {
      ...plain,
      fingerprint: 'f4',
      rule: 'deprecated',
      level: 'note',
      locations: [{ path: of('a'), dependencyPath: [] }],
    },
    { ...qs, fingerprint: 'f5', suppressed },
  ];
}

function fixOf(of: (value: string) => string): Fix {
  return {
    kind: 'in-range',
    path: 'web/package-lock.json',
    version: of('1.0.1'),
    changes: [{ name: of('qs'), from: '1.0.0', to: of('1.0.1'), how: 're-lock' }],
    commands: [of('npm update qs')],
    evidence: { candidates: [], lookedAt: 1, requirements: [], graphs: [] },
  };
}

function recordOf(licence: string) {
  const versionKey = { system: 'NPM' as const, name: 'x', version: '1.0.0' };
  const publishedAt = '2024-05-01T00:00:00Z';
  return {
    versionKey,
    publishedAt,
    isDefault: true,
    isDeprecated: false,
    licenses: [licence],
    advisoryIds: [],
  };
}
