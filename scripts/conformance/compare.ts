import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { NO_PACKAGE } from '../../src/lockfiles/read-as.ts';
import type { LockedPackage, Lockfile } from '../../src/model/lockfile/lockfile.ts';
import { type Case, type Expected, type ExpectedPackage, formatNameOf } from './cases.ts';
import { extraPolicy, missingPolicy, samePackage } from './policies.ts';

export interface Comparison {
  /** Names of the known policies that explain a difference. */
  readonly policies: readonly string[];
  /** Unexplained differences. */
  readonly failures: readonly string[];
}

/** Reads a case in its format and compares the result with the tool's. */
export function compareCase(one: Case): Comparison {
  const read = readCase(one);
  const { expected } = one;
  if (expected.error === true) return errorCase(one, read);
  if (read instanceof LockfileError) {
    return { policies: [], failures: [`not read: ${read.code}: ${read.message}`] };
  }
  const policies = new Set<string>();
  const failures: string[] = [];
  for (const wanted of expected.packages ?? []) {
    const found = read.packages.filter((locked) => samePackage(locked, wanted, expected.tool));
    if (found.length > 0) {
      failures.push(...factFailures(found, wanted, expected));
      continue;
    }
    const policy = missingPolicy(one, wanted, read);
    if (policy === undefined) failures.push(`missing ${wanted.name}@${wanted.version}`);
    else policies.add(policy);
  }
  for (const locked of read.packages) {
    if (expected.packages?.some((wanted) => samePackage(locked, wanted, expected.tool)) === true) continue;
    const policy = extraPolicy(one, locked);
    if (policy === undefined) failures.push(`extra ${locked.id}`);
    else policies.add(policy);
  }
  failures.push(...edgeFailures(one, read));
  // The reader accepts every entry that npm can write.
  if (one.group.startsWith('npm-')) {
    const problems = read.problems.filter(({ message }) => message !== NO_PACKAGE);
    failures.push(...problems.map(({ message }) => `problem: ${message}`));
  }
  return { policies: [...policies].sort(), failures };
}

function readCase({ folder, content, expected, group }: Case): Lockfile | LockfileError {
  try {
    return readLockfile({
      path: expected.canonicalName ?? expected.input,
      content,
      format: formatNameOf(group),
      companion: (name) => {
        const path = join(folder, name);
        return name !== 'expected.json' && existsSync(path) ? readFileSync(path) : undefined;
      },
    });
  } catch (error) {
    if (error instanceof LockfileError) return error;
    throw error;
  }
}

function errorCase(one: Case, read: Lockfile | LockfileError): Comparison {
  if (read instanceof LockfileError || read.problems.length > 0) return { policies: [], failures: [] };
  // trivy rejects a uv.lock with two roots, which uv writes for workspaces.
  if (one.expected.tool === 'trivy' && one.group === 'uv-lock') {
    return { policies: ['trivy reads one root only'], failures: [] };
  }
  return { policies: [], failures: ['read without an error or a problem'] };
}

/** Line, commit, development and purl, as far as the tool states them. */
function factFailures(
  found: readonly LockedPackage[],
  wanted: ExpectedPackage,
  { tool, packages = [] }: Expected,
): string[] {
  const failures: string[] = [];
  const id = `${wanted.name}@${wanted.version}`;
  const lines = found.map(({ line }) => line);
  // For several entries of one package osv-scalibr returns the last line, or 0; Lockhound returns the first.
  const isLater = lines.some((line) => line !== undefined && line < (wanted.line ?? 0));
  const isRepeated = wanted.line === 0 || (isLater && wanted.ecosystem === 'maven');
  if (wanted.line !== undefined && !isRepeated && !lines.includes(wanted.line)) {
    failures.push(`${id} stands on line ${lines.join(', ')}, not on ${wanted.line}`);
  }
  const ranges = wanted.lines ?? [];
  const within = (line: number | undefined) =>
    line !== undefined && ranges.some(([first, last]) => line >= first && line <= last);
  if (ranges.length > 0 && !lines.some(within)) {
    failures.push(`${id} stands on line ${lines.join(', ')}, not within ${JSON.stringify(ranges)}`);
  }
  const commits = found.map(({ source }) => (source.kind === 'git' ? source.commit : undefined));
  if (wanted.commit !== undefined && !commits.includes(wanted.commit)) {
    failures.push(`${id} is of commit ${commits.join(', ')}, not ${wanted.commit}`);
  }
  const dev = wanted.dev ?? wanted.groups?.includes('dev');
  // osv-scalibr returns groups only for some formats, and an empty list for the others.
  const isStated = dev === true || (dev === false && tool === 'trivy');
  // trivy lists a package once for each set of peers; Lockhound once, without a group if one of these has none.
  const alike = packages.filter((one) => one.name === wanted.name && one.version === wanted.version);
  const isMixed = tool === 'trivy' && alike.some((one) => one.dev !== wanted.dev);
  if (isStated && !isMixed && !found.some(({ groups }) => groups.includes('dev') === dev)) {
    failures.push(`${id} is ${dev ? 'not ' : ''}in the group dev`);
  }
  const purl = wanted.purl?.replace(/[?#].*$/s, '');
  if (purl !== undefined && !found.some((one) => one.purl.replace(/[?#].*$/s, '') === purl)) {
    failures.push(`${id} has the purl ${found.map((one) => one.purl).join(', ')}, not ${wanted.purl}`);
  }
  return failures;
}

/** Compares the graph of trivy; packages with trivy's own ids (peers, for example) are matched by name. */
function edgeFailures({ expected }: Case, read: Lockfile): string[] {
  const failures: string[] = [];
  const nameOf = (id: string) => id.replace(/\(.*$/s, '');
  const known = new Map(read.packages.map((one) => [`${one.name}@${one.version}`, one]));
  for (const [id, stated] of Map.groupBy(expected.dependencies ?? [], (one) => nameOf(one.id))) {
    const locked = known.get(id);
    if (locked?.dependencies === undefined) continue;
    const found = locked.dependencies.map((one) => one.replace(/ \(.*$/s, '')).sort();
    const wanted = [...new Set(stated.flatMap(({ dependsOn }) => dependsOn.map(nameOf)))];
    const comparable = wanted.filter((one) => known.has(one)).sort();
    // For several entries of one package trivy keeps the edges of the last.
    if (expected.canonicalName === 'pylock.toml' && comparable.every((one) => found.includes(one))) continue;
    if (found.join() !== comparable.join()) {
      failures.push(`${id} depends on ${found.join(', ')}, not on ${comparable.join(', ')}`);
    }
  }
  return failures;
}
