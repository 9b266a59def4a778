import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { Log, ReportingDescriptor, Run } from 'sarif';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { Gap } from '../../src/model/scan/gap.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { renderSarif } from '../../src/report/sarif/sarif.ts';
import { finding, report } from './scan-report.ts';

/** The published schema of SARIF 2.1.0 (OASIS), in the edition of the JSON Schema Store (JSON Schema draft 4). */
const SCHEMA = join(import.meta.dirname, 'fixtures/sarif-schema-2.1.0.json');
/** Limits of code scanning ("SARIF results exceed one or more limits", "SARIF support for code scanning"). */
const LIMITS = { results: 25_000, rules: 25_000, tags: 10, flow: 1_000, name: 255, description: 1_024 };

const HOSTILE = `[a](javascript:alert(1)) <script>\u202e\u0000 ${'long '.repeat(2_000)}`;
const hostile: Finding = {
  ...finding,
  title: HOSTILE,
  advice: HOSTILE,
  package: { ...finding.package, name: HOSTILE, groups: ['dev', 'dev'] },
  advisory: { id: HOSTILE, aliases: [HOSTILE], title: HOSTILE, url: 'javascript:alert(1)', vector: HOSTILE },
  locations: [{ path: '../ä b/\ud800%#?.json', line: 0, dependencyPath: [HOSTILE, HOSTILE] }],
};
const deprecated: Finding = (({ advisory: _, ...rest }) => rest)({
  ...finding,
  rule: 'deprecated',
  level: 'note' as const,
  severity: 'unrated' as const,
  locations: [],
});

describe('SARIF', () => {
  const valid = schemaCheck();

  it.each([
    ['no findings', report([])],
    ['every kind of finding', report([finding, deprecated])],
    ['hostile texts', report([hostile, finding])],
    ['many gaps', withGaps(2_000)],
  ])('is valid with %s, and within the limits of code scanning', (_name, scanned) => {
    const log = logOf(scanned);
    expect(valid(log)).toEqual([]);
    for (const run of log.runs) expectWithinLimits(run);
  });

  it('is valid at the size of the largest upload', () => {
    const location = { path: 'package-lock.json', dependencyPath: ['a@1.0.0', 'b@1.0.0', 'c@1.0.0'] };
    const places = Array.from({ length: 26_000 }, (_, index) => ({ ...location, line: index + 1 }));
    const log = logOf(report([{ ...finding, locations: places }]));
    for (const run of log.runs) expectWithinLimits(run);
    // Validating all of them takes seconds; every result is made alike.
    const cut = log.runs.map(({ results = [], ...run }) => ({
      ...run,
      results: [...results.slice(0, 50), ...results.slice(-50)],
    }));
    expect(valid({ ...log, runs: cut })).toEqual([]);
  });

  it('has no link that is not one of the web', () => {
    const [run] = logOf(report([hostile])).runs;
    const [rule] = run?.tool.driver.rules ?? [];
    expect(rule).not.toHaveProperty('helpUri');
    expect(rule?.help?.markdown).not.toMatch(/(?<!\\)\]\(javascript|<script/);
  });

  it('tells in the help of a rule what to do for each package', () => {
    const other = {
      ...finding,
      package: { ...finding.package, version: '1.1.0' },
      advice: 'Upgrade to 2.0.0',
    };
    const [run] = logOf(report([finding, other])).runs;
    const help = run?.tool.driver.rules?.[0]?.help?.markdown;
    expect(help).toContain('- <code>left&#64;1.0.0</code>\n- <code>left&#64;1.1.0</code>: Upgrade to 2.0.0');
    expect(help).toContain('Severity: high (CVSS 7.5)');
    expect(help).toContain('[GHSA-x](https://osv.dev/x)');
  });
});

function logOf(scanned: ScanReport): Log {
  return JSON.parse([...renderSarif(scanned)].join(''));
}

function withGaps(count: number): ScanReport {
  const scanned = report([]);
  const gaps = Array.from(
    { length: count },
    (_, index): Gap => ({
      kind: index % 2 === 0 ? 'advisory' : 'package',
      subject: `${HOSTILE}${index}`,
      reason: HOSTILE,
    }),
  );
  return { ...scanned, verdict: { ...scanned.verdict, gaps } };
}

/** Returns a function that returns the faults of a log. The keywords that draft 4 has in other forms are not in the schema. */
function schemaCheck(): (log: Log) => unknown {
  const { $schema: _draft, id: _id, ...schema } = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (log) => (validate(log) ? [] : validate.errors);
}

function expectWithinLimits({ tool: { driver }, results = [] }: Run): void {
  const rules = driver.rules ?? [];
  expect(results.length).toBeLessThanOrEqual(LIMITS.results);
  expect(rules.length).toBeLessThanOrEqual(LIMITS.rules);
  for (const rule of rules) expectRuleWithinLimits(rule);
  const wrong = results.filter(({ locations = [], partialFingerprints = {}, message, codeFlows = [] }) => {
    const steps = codeFlows.flatMap(({ threadFlows }) => threadFlows.flatMap((flow) => flow.locations));
    const lines = locations.map(({ physicalLocation }) => physicalLocation?.region?.startLine ?? 0);
    return (
      locations.length > 1 ||
      lines.some((line) => line < 1) ||
      Object.keys(partialFingerprints).length !== 1 ||
      (message.text ?? '') === '' ||
      steps.length > LIMITS.flow
    );
  });
  expect(wrong).toEqual([]);
  const fingerprints = results.map((one) => JSON.stringify(one.partialFingerprints));
  expect(new Set(fingerprints).size).toBe(results.length);
}

function expectRuleWithinLimits(rule: ReportingDescriptor): void {
  expect(rule.name?.length).toBeLessThanOrEqual(LIMITS.name);
  expect(rule.shortDescription?.text.length).toBeLessThanOrEqual(LIMITS.description);
  expect(rule.fullDescription?.text.length).toBeLessThanOrEqual(LIMITS.description);
  expect(rule.help?.text).not.toBe('');
  expect(rule.properties?.tags?.length).toBeLessThanOrEqual(LIMITS.tags);
  const score = rule.properties?.['security-severity'];
  if (score !== undefined) expect(Number(score)).toSatisfy((one: number) => one >= 0 && one <= 10);
}
