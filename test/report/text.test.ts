import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../src/report/html/html.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { renderText } from '../../src/report/text.ts';
import { finding, report } from './scan-report.ts';

describe('the text report', () => {
  const text = renderText(report([finding]), { colour: false, width: 100 });

  it('shows a finding with its path, and with its names and place on request', () => {
    expect(text).toContain('high     7.5  left 1.0.0  GHSA-x  via right@2.0.0');
    const verbose = renderText(report([finding]), { colour: false, width: 100, verbose: true });
    expect(verbose).toContain('CVE-1');
    expect(verbose).toContain('web/package-lock.json:12  right@2.0.0 › left@1.0.0');
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
    const verbose = renderText(report([finding]), { colour: false, width: 100, verbose: true });
    expect(verbose).toContain('\\u001b[2J');
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
    expect(text).toContain('No findings in 1 of 2 packages; nothing is known of the others (1 failed).');
  });

  it('does not call a scan of no packages clean', () => {
    const { verdict, ...whole } = report([]);
    const outcomes = { ...verdict.counts.outcomes, resolved: 0, failed: 0 };
    const empty = {
      ...whole,
      verdict: { ...verdict, gaps: [], counts: { ...verdict.counts, packages: 0, outcomes } },
    };
    const says = 'No packages, so nothing was checked';
    expect(renderText(empty, { colour: false, width: 100 })).toContain(`${says}.`);
    expect(renderMarkdown(empty)).toMatch(new RegExp(`^### ⚠️ ${says}\n`));
    expect([...renderHtml(empty)].join('')).toContain(`>${says}</h2>`);
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
