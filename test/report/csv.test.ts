import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import { renderCsv } from '../../src/report/csv.ts';
import { compared, everything, HOSTILE } from './html-report.ts';
import { finding, report } from './scan-report.ts';

const rowsOf = (one: Finding) =>
  parsed([...renderCsv(report([one]))].join('')).filter(({ state }) => state !== 'not known');

/** Reads RFC 4180 strictly: a quote outside of a quoted field, or a line that does not end with CRLF, throws. */
function parsed(text: string): readonly Record<string, string>[] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const found = field.exec(text);
    if (found === null) throw new Error(`not RFC 4180 at ${text.slice(at, at + 40)}`);
    rows.at(-1)?.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '\r\n') rows.push([]);
  }
  const [names = [], ...lines] = rows.slice(0, -1);
  return lines.map((line) => {
    expect(line).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, index) => [name, line[index] ?? '']));
  });
}

describe('findings as CSV', () => {
  it('are one row for each place', () => {
    const [first] = finding.locations;
    if (first === undefined) throw new RangeError('no place');
    const other = { path: 'a, "b".json', dependencyPath: [] };
    expect(rowsOf({ ...finding, locations: [first, other] })).toMatchObject([
      {
        state: 'open',
        severity: 'high',
        score: '7.5',
        advisory: 'GHSA-x',
        aliases: 'CVE-1',
        package: 'left',
        path: 'web/package-lock.json',
        line: '12',
        through: 'right@2.0.0 > left@1.0.0',
        fixed: '',
      },
      { path: 'a, "b".json', line: '', through: '' },
    ]);
    expect(rowsOf({ ...finding, locations: [] })).toHaveLength(1);
  });

  it.each(['=1+1', '+1', '-1', '@sum(A1)', ' =1', '\t=1', '\r\n=1', '＝1', '=HYPERLINK("http://x","y")'])(
    'make a cell harmless that a spreadsheet would calculate: %j',
    (title) => {
      const [row] = rowsOf({ ...finding, title, package: { ...finding.package, name: title } });
      expect([row?.['title']?.[0], row?.['package']?.[0]]).toEqual(["'", "'"]);
    },
  );

  it('have every text from outside in its cell', () => {
    for (const row of parsed([...renderCsv(everything(HOSTILE))].join(''))) {
      for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@]/);
    }
  });

  it('say what is new, unchanged, gone and not known', () => {
    const states = parsed([...renderCsv(compared())].join('')).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['new', 'unchanged', 'suppressed', 'note', 'gone', 'not known']));
    const [empty] = [...renderCsv(report([]))];
    expect(empty).toMatch(/^state,severity,/);
  });
});
