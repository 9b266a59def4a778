import { describe, expect, it } from 'vitest';
import { isFixable } from '../../src/model/advice/fixable.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import { REPORTS } from '../../src/report/catalog.ts';
import { fixedVersion } from '../../src/report/finding-parts.ts';
import { renderJson, renderNdjson } from '../../src/report/json.ts';
import { everything, HOSTILE } from './html-report.ts';
import { finding, report } from './scan-report.ts';

describe('every format', () => {
  const options = { colour: false, width: 80 };

  it.each(REPORTS.map(({ name }) => name))('has the same bytes for the same scan: %s', async (name) => {
    const format = REPORTS.find((one) => one.name === name);
    const render = async () => [
      ...((await format?.render(structuredClone(everything(HOSTILE)), options)) ?? []),
    ];
    const text = (await render()).join('');
    expect(text.length).toBeGreaterThan(100);
    expect((await render()).join('')).toBe(text);
  });

  it.each(REPORTS.map(({ name }) => name))(
    'ends with a line break, and shows no control character: %s',
    async (name) => {
      const format = REPORTS.find((one) => one.name === name);
      const text = [...((await format?.render(everything(HOSTILE), options)) ?? [])].join('');
      expect(text.endsWith('\n')).toBe(true);
      expect(text).not.toContain('\u0000');
      expect(text).not.toContain('\u001b');
    },
  );

  it.each(REPORTS)('says that findings are left out, and how many: $name', async (format) => {
    const whole = everything();
    const reason = '3 more, the least severe ones, are left out';
    const cut = { kind: 'cut' as const, subject: 'findings after the first 50000', reason };
    const verdict = { ...whole.verdict, complete: false, gaps: [cut, ...whole.verdict.gaps] };
    const wide = { colour: false, width: 200 };
    const text = async (one: typeof whole) => [...(await format.render(one, wide))].join('');
    expect(await text({ ...whole, verdict })).toContain(reason);
    expect(await text(whole)).not.toContain(reason);
    if (format.name !== 'markdown') return;
    const markdown = await text({ ...whole, verdict });
    expect(markdown).toContain('> **Incomplete**');
    expect(markdown).toContain(`> ${reason}`);
  });
});

describe('the age of a finding', () => {
  const aged = {
    ...finding,
    age: { since: '2026-02-01T00:00:00.000Z', days: 12 },
    due: '2026-02-08T00:00:00.000Z',
  };

  it.each([
    ['table', 'open for 12 days, overdue since 2026-02-08'],
    ['markdown', 'open for 12 days, overdue since 2026-02-08'],
    ['html', 'open for 12 days, overdue since 2026-02-08'],
    ['json', '"age":{"since":"2026-02-01T00:00:00.000Z","days":12},"due":"2026-02-08T00:00:00.000Z"'],
    ['sarif', '"2026-02-08T00:00:00.000Z"'],
  ])('is in the report %s', async (name, text) => {
    const format = REPORTS.find((one) => one.name === name);
    const render = async (one: Finding) =>
      [...((await format?.render(report([one]), { colour: false, width: 120, verbose: true })) ?? [])].join(
        '',
      );
    expect(await render(aged)).toContain(text);
    expect(await render(finding)).not.toContain('2026-02-08');
  });
});

describe('the scan as lines of JSON', () => {
  const lines = [...renderNdjson(everything())].map((line) => JSON.parse(line));
  const entriesOf = (type: string) =>
    lines.filter((line) => line.type === type).map(({ type: _, ...entry }) => entry);

  it('begins and ends with lines of their own', () => {
    expect(lines[0]).toMatchObject({ type: 'scan', schema: 'lockhound.scan-lines/1', complete: false });
    expect(lines.at(-1)).toEqual({ type: 'end', findings: 5, gaps: 1 });
  });

  it('has the entries of the JSON report', () => {
    const document = JSON.parse([...renderJson(everything())].join(''));
    expect(entriesOf('package')).toEqual(document.lockfiles.flatMap((one: { packages: [] }) => one.packages));
    expect(entriesOf('finding')).toEqual(document.findings);
    expect(entriesOf('change')).toEqual(document.changes);
    expect(entriesOf('gap')).toEqual(document.gaps);
    expect(entriesOf('unread')).toEqual(document.unread);
    expect(entriesOf('plan')).toEqual(document.advice.plans);
    expect(entriesOf('unadvised')).toEqual(document.advice.unadvised);
    expect(entriesOf('lockfile')).toMatchObject([{ path: 'web/package-lock.json', problems: [] }]);
  });
});

describe('the fixed version', () => {
  const [fix] = everything().verdict.findings[0]?.fixes ?? [];
  if (fix === undefined) throw new RangeError('the finding has no fix');

  it('is that of each lockfile, once', () => {
    expect(fixedVersion({ fixes: [fix, { ...fix, path: 'b' }, { ...fix, version: '2.0.0' }] })).toBe(
      '1.0.1, 2.0.0',
    );
    expect(fixedVersion(finding)).toBeUndefined();
    expect(fixedVersion({ fixes: [{ ...fix, kind: 'none' }] })).toBeUndefined();
  });

  it('can be reached only when something can be changed', () => {
    expect(isFixable({ fixes: [{ ...fix, kind: 'held-by-pin' }, fix] })).toBe(true);
    expect(isFixable({ fixes: [{ ...fix, kind: 'held-by-cooldown' }] })).toBe(false);
    expect(isFixable({ fixes: [{ ...fix, changes: [] }] })).toBe(false);
    expect(isFixable({})).toBe(false);
  });
});
