import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import type { Comparison } from './compare.ts';

/** The answer of a format's own parser for a whole lockfile. */
interface Oracle {
  readonly tool: string;
  readonly data: unknown;
}

type Row = Readonly<Record<string, unknown>>;

/** Converts each parser's answer to `name@version`; an empty text represents the target itself and is omitted. */
const READERS: readonly (readonly [pattern: RegExp, (row: Row, file: string) => string])[] = [
  [/^@yarnpkg\/lockfile/, (row) => `${nameOf(text(row['descriptor']))}@${text(row['version'])}`],
  [/^@yarnpkg\/parsers/, berryRow],
  [
    /^@npmcli\/arborist/,
    (row) => (row['link'] === true || !text(row['path']).includes('node_modules/') ? '' : pair(row)),
  ],
  [/^tomllib/, tomlRow],
  [/^Bundler/, pair],
  [/^json$/, (row) => `${text(row['name'])}@${text(row['version']).replace(/^==/, '')}`],
  [
    /^pip /,
    (row) =>
      text(row['requirement'])
        .replace(/\[[^[\]]*\]|[\s;].*$/gs, '')
        .replace('==', '@'),
  ],
  [
    /^line split/,
    (row) =>
      text(row['version']).endsWith('/go.mod') ? '' : `${text(row['module'])}@${text(row['version'])}`,
  ],
  [/^json spdx/, (row) => (text(row['name']) === 'TestProject' ? '' : pair(row))],
];

/** Compares whole lockfiles of known projects with the answer of the format's own parser, when there is one. */
export function compareReal(
  corpora: string,
): readonly { readonly name: string; readonly comparison: Comparison }[] {
  const folder = join(corpora, 'real');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file !== 'index.json')
    .map((file) => ({ name: `real/${file}`, comparison: compareFile(corpora, file) }));
}

function compareFile(corpora: string, file: string): Comparison {
  try {
    return compareRead(corpora, file);
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    return { policies: [], failures: [`not read: ${error.message}`] };
  }
}

function compareRead(corpora: string, file: string): Comparison {
  const oraclePath = join(corpora, 'real-oracles', `${file}.native.json`);
  const name = file.replace(/^.*__/, '');
  const { packages, problems } = readLockfile({
    path: name,
    content: readFileSync(join(corpora, 'real', file)),
  });
  const failures = problems.map(({ line, message }) => `problem on line ${line}: ${message}`);
  if (!existsSync(oraclePath)) return { policies: ["no answer of the format's own parser"], failures };
  const oracle = JSON.parse(readFileSync(oraclePath, 'utf8')) as Oracle;
  const wanted = wantedOf(oracle, file);
  const isPnpm = name === 'pnpm-lock.yaml';
  const found = new Set(
    packages.map((one) => `${one.name}@${isPnpm && one.source.kind !== 'registry' ? '' : one.version}`),
  );
  for (const one of wanted) if (!found.has(one)) failures.push(`missing ${one}`);
  for (const one of found) if (!wanted.has(one)) failures.push(`extra ${one}`);
  if (oracle.tool.startsWith('@npmcli/arborist'))
    failures.push(...devFailures(packages, oracle.data as readonly Row[]));
  return { policies: [], failures };
}

/** arborist marks each instance as development only; a package is when all its instances are. */
function devFailures(packages: readonly LockedPackage[], rows: readonly Row[]): readonly string[] {
  const places = Map.groupBy(rows, pair);
  return packages.flatMap(({ id, name, version, groups }) => {
    const wanted = (places.get(`${name}@${version}`) ?? []).every(({ dev }) => dev === true);
    return groups.includes('dev') === wanted ? [] : [`${id} is ${wanted ? 'not ' : ''}in the group dev`];
  });
}

function wantedOf({ tool, data }: Oracle, file: string): ReadonlySet<string> {
  if (!Array.isArray(data)) {
    // pnpm: keys of `packages`.
    const { packages } = data as { readonly packages: readonly { readonly key: string }[] };
    return new Set(packages.map(({ key }) => key.replace(/^(.[^@]*)@(?!\d+\.\d+\.).*$/, '$1@')));
  }
  const reader = READERS.find(([pattern]) => pattern.test(tool));
  if (reader === undefined) throw new Error(`the answers of ${tool} have no reader: add one to READERS`);
  const rows = data as readonly Row[];
  return new Set(rows.map((row) => reader[1](row, file)).filter((one) => one !== ''));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function pair(row: Row): string {
  return `${text(row['name'])}@${text(row['version'])}`;
}

function nameOf(descriptor: string): string {
  const alias = /^.[^@]*@npm:(.[^@]*)@/.exec(descriptor)?.[1];
  return alias ?? descriptor.slice(0, descriptor.indexOf('@', 1));
}

function berryRow(row: Row): string {
  const resolution = text(row['resolution']);
  return resolution.includes('@workspace:') || resolution === ''
    ? ''
    : `${nameOf(resolution)}@${text(row['version'])}`;
}

function tomlRow(row: Row, file: string): string {
  const source = row['source'] as Row | string | undefined;
  if (file.endsWith('Cargo.lock') && source === undefined) return '';
  const isOwn = typeof source === 'object' && ('virtual' in source || 'editable' in source);
  return isOwn ? '' : pair(row);
}
