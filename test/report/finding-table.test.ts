import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import { stringWidth } from '../../src/report/layout.ts';
import { nextStep } from '../../src/report/scan-parts.ts';
import { findingTable } from '../../src/report/table/finding-table.ts';
import { scanFindings } from '../../src/report/table/scan-findings.ts';
import { finding, report } from './scan-report.ts';

interface Shape {
  readonly name: string;
  readonly id?: string;
  readonly path?: readonly string[];
}

function findingOf({ name, id = 'GHSA-aaaa-bbbb-cccc', path = [] }: Shape): Finding {
  return {
    ...finding,
    title: 'Prototype pollution in a package',
    package: { ...finding.package, name, purl: `pkg:npm/${name}@1.0.0`, direct: path.length < 2 },
    locations: [{ path: 'package-lock.json', line: 12, dependencyPath: path }],
    advisory: { id, aliases: ['CVE-1'], title: '', url: `https://osv.dev/${id}`, score: 7.5 },
  };
}

const FINDINGS = [
  findingOf({ name: 'left' }),
  findingOf({ name: 'right', path: ['express@4.17.1', 'body-parser@1.19.0', 'right@1.0.0'] }),
  findingOf({ name: 'left', id: 'GHSA-dddd-eeee-ffff' }),
];

const tableOf = (width: number, findings: readonly Finding[] = FINDINGS) =>
  scanFindings(findings, false, { colour: false, width });

describe('the table of findings', () => {
  it('has one line for each finding, and each package once', () => {
    expect(tableOf(80)).toEqual([
      'high     7.5  left 1.0.0   GHSA-aaaa-bbbb-cccc  direct',
      'high     7.5               GHSA-dddd-eeee-ffff',
      'high     7.5  right 1.0.0  GHSA-aaaa-bbbb-cccc  via express@4.17.1 › … (2 deep)',
    ]);
  });

  it('has the title where there is room', () => {
    expect(tableOf(120)[0]).toBe(
      'high     7.5  left 1.0.0   GHSA-aaaa-bbbb-cccc  direct                           Prototype pollution in a package',
    );
  });

  it('has two lines for each finding on a narrow terminal', () => {
    expect(tableOf(50)).toEqual([
      'high     7.5  left 1.0.0',
      '    GHSA-aaaa-bbbb-cccc  direct',
      'high     7.5  GHSA-dddd-eeee-ffff',
      'high     7.5  right 1.0.0',
      '    GHSA-aaaa-bbbb-cccc  via express@4.17.1 › …',
    ]);
  });

  it('is not wider than the terminal', () => {
    const long = findingOf({
      name: `@${'scope'.repeat(5)}/${'name'.repeat(5)}`,
      id: 'X'.repeat(30),
      path: ['a-very-long-direct-dependency@1.0.0', 'b@1.0.0', 'c@1.0.0'],
    });
    for (const width of [70, 80, 100, 120, 160]) {
      const wide = tableOf(width, [...FINDINGS, long]).filter((line) => stringWidth(line) > width);
      expect([width, wide]).toEqual([width, []]);
    }
  });

  it('links the advisory where the terminal shows links, with the same columns', () => {
    const rows = FINDINGS.map((one) => ({ finding: one, why: ['direct'], details: [] }));
    const plain = findingTable(rows, { colour: false, width: 80 });
    const linked = findingTable(rows, { colour: true, width: 80, links: true });
    expect(linked[0]).toContain('\u001b]8;;https://osv.dev/GHSA-aaaa-bbbb-cccc\u0007');
    expect(linked.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(plain);
    const hostile = {
      ...findingOf({ name: 'x' }),
      advisory: { id: 'I', aliases: [], title: '', url: 'javascript:1' },
    };
    const row = { finding: hostile, why: [], details: [] };
    expect(findingTable([row], { colour: false, width: 80, links: true }).join('')).not.toContain('\u001b');
  });

  it('shows the fixed version', () => {
    const row = { finding: findingOf({ name: 'left' }), fixed: '1.0.1', why: ['direct'], details: [] };
    expect(findingTable([row], { colour: false, width: 80 })).toEqual([
      'high     7.5  left 1.0.0 → 1.0.1  GHSA-aaaa-bbbb-cccc  direct',
    ]);
  });

  it('shows the beginning of a name that is too long', () => {
    const finding = findingOf({ name: 'b', path: ['a-very-long-direct-dependency@1.0.0', 'b@1.0.0'] });
    const others = findingOf({ name: 'a-package-with-a-long-name' });
    const lines = scanFindings([finding, others], false, { colour: false, width: 80 });
    expect(lines[0]).toMatch(/ {2}via a-very-long-\S*…$/);
  });

  it('names the lockfile where there are several', () => {
    const [, line] = scanFindings(FINDINGS.slice(0, 2), true, { colour: false, width: 140 });
    expect(line).toContain('via express in package-lock.json');
    expect(scanFindings(FINDINGS.slice(0, 1), true, { colour: false, width: 140 })[0]).toContain(
      'direct in package-lock.json',
    );
  });

  it('shows everything with `verbose`', () => {
    const [first] = FINDINGS.slice(1);
    const lines = scanFindings(first === undefined ? [] : [{ ...first, advice: 'Upgrade' }], false, {
      colour: false,
      width: 100,
      verbose: true,
    });
    expect(lines.slice(1).map((line) => line.trim())).toEqual([
      'Prototype pollution in a package',
      'CVE-1',
      'package-lock.json:12  express@4.17.1 › body-parser@1.19.0 › right@1.0.0',
      'Upgrade',
      'https://osv.dev/GHSA-aaaa-bbbb-cccc',
    ]);
    // Output into a file or a pipe has no width.
    const piped = { colour: false, width: Number.POSITIVE_INFINITY, verbose: true };
    expect(scanFindings(FINDINGS, false, piped)[0]).toMatch(/GHSA-\S+ +direct$/);
  });
});

describe('the next step', () => {
  const { verdict } = report([]);

  it('names what to upgrade first', () => {
    expect(nextStep({ verdict }, FINDINGS)).toContain('start with the 1 direct dependency (left).');
    expect(nextStep({ verdict }, FINDINGS.slice(1, 2))).toContain('start with what brings right.');
  });

  it('is to close gaps where nothing was found, and nothing for a clean scan', () => {
    expect(nextStep({ verdict }, [])).toContain('scan again');
    expect(nextStep({ verdict: { ...verdict, gaps: [] } }, [])).toBeUndefined();
  });
});
