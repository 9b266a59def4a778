import type { Log } from 'sarif';
import { expect, it } from 'vitest';
import type { Issue } from '../../src/model/api/lockhound-api.generated.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { issueListText } from '../../src/report/findings.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { renderSarif } from '../../src/report/sarif/sarif.ts';
import { renderText } from '../../src/report/text.ts';
import { finding, report } from './scan-report.ts';

const suppressed: Finding = {
  ...finding,
  fingerprint: 'f2',
  advisory: { id: 'GHSA-y', aliases: [], title: 'Other', url: 'https://osv.dev/y', score: 9.8 },
  severity: 'critical',
  suppressed: {
    by: 'suppressions[0]',
    source: 'configuration',
    reason: 'not [reachable]',
    author: 'web',
    expires: '2027-01-31T00:00:00.000Z',
  },
};

function scanned(): ScanReport {
  const { inventory, verdict } = report([finding, suppressed]);
  const severities = { ...verdict.counts.severities, high: 1, critical: 0 };
  const unusedSuppressions = [{ id: 'suppressions[1]', reason: 'matches no finding' }];
  const counts = { ...verdict.counts, severities, suppressed: 1 };
  return { inventory, verdict: { ...verdict, counts, unusedSuppressions } };
}

const REASON = 'suppressed by web until 2027-01-31T00:00:00.000Z: not [reachable] (suppressions[0])';

it('the table shows it with its reason, and what has no effect', () => {
  const text = renderText(scanned(), { colour: false, width: 120 });
  expect(text).toContain(`suppressed    left 1.0.0  GHSA-y`);
  expect(text).toContain(REASON);
  expect(text).toMatch(/1 suppression without effect:\n {2}suppressions\[1\]: matches no finding\n/);
  expect(text).toMatch(/1 finding in \d+ packages: 1 high; 1 suppressed/);
});

it('SARIF has its justification, and empty lists for the others', () => {
  const { runs } = JSON.parse([...renderSarif(scanned())].join('')) as Log;
  const results = runs[0]?.results ?? [];
  expect(results.map(({ suppressions }) => suppressions)).toEqual([
    [],
    [{ kind: 'external', status: 'accepted', justification: REASON.replace(/[[\]]/g, '\\$&') }],
  ]);
  expect(results[1]?.level).toBe('note');
  const rule = runs[0]?.tool.driver.rules?.find(({ id }) => id === 'GHSA-y');
  expect(rule?.properties).not.toHaveProperty('security-severity');
});

it('SARIF without suppressed findings has no suppressions', () => {
  const { runs } = JSON.parse([...renderSarif(report([finding]))].join('')) as Log;
  expect(runs[0]?.results?.[0]).not.toHaveProperty('suppressions');
});

it('Markdown folds it', () => {
  const text = renderMarkdown(scanned());
  expect(text).toMatch(/^### 1 finding: 1 high\n/);
  expect(text).toMatch(/<summary>1 suppressed<\/summary>[\s\S]*until 2027-01-31[\s\S]*<\/details>/);
  expect(text).toContain('1 suppression without effect');
});

it('JSON has all of it', () => {
  const { findings, unusedSuppressions, counts } = JSON.parse([...renderJson(scanned())].join(''));
  expect(findings[1].suppressed).toEqual(suppressed.suppressed);
  expect(unusedSuppressions).toEqual([{ id: 'suppressions[1]', reason: 'matches no finding' }]);
  expect(counts.suppressed).toBe(1);
});

it('the findings of a fleet are apart from those that are not suppressed', () => {
  const fleetFinding = (target: string, one: Finding) =>
    ({ target, labels: {}, status: 'open', openedAt: 'T', changedAt: 'T', places: 1, finding: one }) as const;
  const { suppressed: _, ...open } = suppressed;
  const issues = [fleetFinding('a', open), fleetFinding('b', suppressed)].map((first) => ({
    id: '0123456789abcdef',
    first: first as unknown as Issue['first'],
    severity: first.finding.severity,
    ...{ findings: 1, targets: 1, named: [first.target], versions: 1, fixedIn: [] },
  }));
  const counts = { different: 2, total: 2, targets: 2, severities: { critical: 2 } };
  const text = issueListText({ issues, ...counts }, { colour: false, width: 100 });
  expect(text).toMatch(/critical 9\.8 [\s\S]*suppressed {4}left/);
  expect(text).toContain('not [reachable]');
});
