import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FORMATS } from '../src/lockfiles/catalog.ts';
import { formatNameOf, readCases } from './conformance/cases.ts';
import { type Comparison, compareCase } from './conformance/compare.ts';
import { compareReal } from './conformance/real.ts';

/**
 * `npm run conformance -- <corpora>`: reads the test tables of other scanners and prints by format how many cases agree,
 * differ by a known policy of that tool, or fail. The exit code is 1 when a case fails, 2 when there are no cases.
 */
function main(corpora: string | undefined): number {
  if (corpora === undefined || !existsSync(join(corpora, 'lockfiles'))) {
    process.stderr.write(
      'usage: npm run conformance -- <folder that holds lockfiles/<format>/<case>/expected.json>\n',
    );
    return 2;
  }
  const byFormat = new Map<string, Row>();
  for (const one of readCases(resolve(corpora))) {
    if (!FORMATS.some(({ name }) => name === formatNameOf(one.group))) {
      rowOf(byFormat, one.group).failing.push(`${one.group}/${one.name}: no reader for this format`);
      continue;
    }
    count(rowOf(byFormat, one.group), `${one.group}/${one.name}`, compareCase(one));
  }
  for (const { name, comparison } of compareReal(resolve(corpora))) {
    count(rowOf(byFormat, 'whole lockfiles'), name, comparison);
  }
  process.stdout.write(table(byFormat));
  return [...byFormat.values()].some(({ failing }) => failing.length > 0) ? 1 : 0;
}

interface Row {
  cases: number;
  agreeing: number;
  readonly policies: Map<string, number>;
  readonly failing: string[];
}

function rowOf(rows: Map<string, Row>, format: string): Row {
  const row = rows.get(format) ?? { cases: 0, agreeing: 0, policies: new Map(), failing: [] };
  rows.set(format, row);
  return row;
}

function count(row: Row, name: string, { policies, failures }: Comparison): void {
  row.cases += 1;
  if (failures.length > 0) row.failing.push(`${name}: ${failures.join('; ')}`);
  else if (policies.length === 0) row.agreeing += 1;
  else for (const policy of policies) row.policies.set(policy, (row.policies.get(policy) ?? 0) + 1);
}

function table(rows: ReadonlyMap<string, Row>): string {
  const lines = [['format', 'cases', 'agreeing', 'by policy', 'failing']];
  for (const [format, { cases, agreeing, failing }] of rows) {
    lines.push([format, cases, agreeing, cases - agreeing - failing.length, failing.length].map(String));
  }
  const all = [...rows.values()];
  const sum = (of: (row: Row) => number) => String(all.reduce((total, row) => total + of(row), 0));
  const failing = (row: Row) => row.failing.length;
  const differing = (row: Row) => row.cases - row.agreeing - failing(row);
  lines.push(['all', sum((row) => row.cases), sum((row) => row.agreeing), sum(differing), sum(failing)]);
  const width = Math.max(...lines.map(([name = '']) => name.length));
  const body = lines.map(
    ([name = '', ...rest]) => name.padEnd(width) + rest.map((one) => one.padStart(11)).join(''),
  );
  const policies = new Map<string, number>();
  for (const row of all)
    for (const [name, times] of row.policies) policies.set(name, (policies.get(name) ?? 0) + times);
  const named = [...policies].sort().map(([name, times]) => `  ${String(times).padStart(3)} × ${name}`);
  const failures = all.flatMap((row) => row.failing.map((one) => `  ${one}`));
  return [
    ...body,
    ...(named.length === 0 ? [] : ['', 'known policies of the tools:', ...named]),
    ...(failures.length === 0 ? [] : ['', 'failing:', ...failures]),
    '',
  ].join('\n');
}

process.exitCode = main(process.argv[2]);
