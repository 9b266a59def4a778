import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PackageURL } from 'packageurl-js';
import { describe, expect, it } from 'vitest';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { NO_PACKAGE } from '../../src/lockfiles/read-as.ts';
import type { LockedPackage, Lockfile } from '../../src/model/lockfile/lockfile.ts';

const CORPORA =
  process.env['LOCKHOUND_CORPORA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'corpora');
const LOCKFILES = join(CORPORA, 'lockfiles');
const FORMATS = [
  ...['maven-pom-xml', 'gradle-lockfile', 'gradle-verification-metadata'],
  ...['nuget-packages-lock', 'nuget-packages-config', 'nuget-deps-json'],
  ...['cyclonedx-json', 'cyclonedx-xml', 'spdx-json', 'spdx-tag-value'],
];

interface ExpectedPackage {
  readonly ecosystem: string | null;
  readonly name: string;
  readonly version: string;
  readonly id?: string;
  readonly type?: string;
  readonly purl?: string;
  readonly groups?: readonly string[];
  readonly relationship?: string;
  readonly line?: number;
  readonly lines?: readonly (readonly [number, number])[];
}

interface Expected {
  readonly tool: string;
  readonly input: string;
  readonly error?: boolean;
  readonly packages?: readonly ExpectedPackage[];
  readonly siblings?: readonly string[];
  readonly dependencies?: readonly { readonly id: string; readonly dependsOn: readonly string[] }[];
}

function cases(): readonly (readonly [string, string, string])[] {
  return FORMATS.flatMap((format) => {
    const folder = join(LOCKFILES, format);
    if (!existsSync(folder)) return [];
    return readdirSync(folder).map((name) => [`${format}/${name}`, format, join(folder, name)] as const);
  });
}

/** Packages that the tools list and Lockhound leaves out by policy. */
function isOurs({ relationship, type, name, version, ecosystem }: ExpectedPackage): boolean {
  // The target: root and workspace projects.
  if (relationship === 'root' || relationship === 'workspace' || type === 'project') return false;
  // Without an ecosystem or a name: a problem that names it.
  return ecosystem !== null && name !== '' && !/^:|:$/.test(name) && version !== undefined;
}

/** Packages of SBOMs are compared by purl, others by name and version. */
function shown({ name, version, purl }: Pick<LockedPackage, 'name' | 'version'> & { purl?: string }): string {
  return purl === undefined ? `${name}@${version}` : PackageURL.fromString(purl).toString();
}

function read(format: string, folder: string, expected: Expected): Lockfile {
  // Companions: the corpus has them in the folder of the input.
  const companions = new Map(
    (expected.siblings ?? []).map((path) => [basename(path), join(folder, basename(path))]),
  );
  return readLockfile({
    path: expected.input,
    content: readFileSync(join(folder, expected.input)),
    format,
    companion: (name) => {
      const path = companions.get(name);
      return path === undefined ? undefined : readFileSync(path);
    },
  });
}

describe.skipIf(!existsSync(LOCKFILES))('Maven, NuGet and SBOM files of the corpora', () => {
  it.each(cases())('%s', (_name, format, folder) => {
    const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected;
    if (expected.error === true) {
      expect(() => read(format, folder, expected)).toThrow(LockfileError);
      return;
    }
    const { packages, problems } = read(format, folder, expected);
    const wanted = (expected.packages ?? []).filter(isOurs);
    const isSbom = /^(?:cyclonedx|spdx)/.test(format);
    const found = packages
      // trivy and its expectation leave out development packages of packages.config.
      .filter(({ groups }) => expected.tool !== 'trivy' || !groups.includes('dev'))
      .map(({ name, version, purl }) => shown({ name, version, ...(isSbom ? { purl } : {}) }));
    expect(found.sort()).toEqual([...new Set(wanted.map(shown))].sort());
    for (const one of packages) checkFacts(one, wanted);
    checkEdges(packages, expected);
    // Exactly the entries that are not packages are problems.
    const unnamed = (expected.packages ?? []).filter(
      (one) => one.type !== 'project' && one.relationship === undefined && !isOurs(one),
    );
    const copies = format === 'nuget-packages-config' && _name.includes('noversion') ? 1 : 0;
    const nameless = wanted.filter(({ version }) => version === '').length;
    // A pom has one problem for each unavailable pom, not for each version.
    const empty = problems.some(({ message }) => message === NO_PACKAGE) ? 1 : 0;
    const places = format === 'maven-pom-xml' && nameless > 0 ? problems.length || 1 : nameless;
    expect(problems.length, JSON.stringify(problems)).toBe(unnamed.length + copies + places + empty);
  });
});

function checkFacts(found: LockedPackage, wanted: readonly ExpectedPackage[]): void {
  const same = wanted.filter(({ name, version }) => name === found.name && version === found.version);
  for (const { groups, relationship, line, lines } of same) {
    if (groups !== undefined) expect(found.groups, found.id).toEqual(groups);
    if (relationship !== undefined) expect(found.direct, found.id).toBe(relationship === 'direct');
    const starts = lines?.map(([start]) => start) ?? [];
    if (starts.length > 0) expect(starts, found.id).toContain(found.line);
    // For merged entries osv-scalibr has the last line or none (0), Lockhound the first.
    if (line !== undefined && line > 0) expect(found.line, found.id).toBeLessThanOrEqual(line);
  }
  expect(found.line, found.id).toBeGreaterThan(0);
}

function checkEdges(packages: readonly LockedPackage[], { dependencies = [] }: Expected): void {
  const byId = new Map(packages.map((one) => [one.id.replace('@', '/'), one]));
  for (const { id, dependsOn } of dependencies) {
    const found = byId.get(id.replace('@', '/'));
    const wanted = dependsOn.map((one) => one.replace('@', '/')).sort();
    if (found !== undefined)
      expect((found.dependencies ?? []).map((one) => one.replace('@', '/')).sort(), id).toEqual(wanted);
  }
}

const SPECIFICATION = join(CORPORA, 'sbom', 'cyclonedx-spec');

function specificationCases(): readonly string[] {
  if (!existsSync(SPECIFICATION)) return [];
  return readdirSync(SPECIFICATION).flatMap((version) =>
    readdirSync(join(SPECIFICATION, version)).map((name) => `${version}/${name}`),
  );
}

describe.skipIf(!existsSync(SPECIFICATION))('the resources of the CycloneDX specification', () => {
  it.each(specificationCases())('%s', (name) => {
    const format = name.endsWith('.json') ? 'cyclonedx-json' : 'cyclonedx-xml';
    const content = readFileSync(join(SPECIFICATION, name));
    const readIt = () => readLockfile({ path: name, content, format });
    if (/invalid-(?:namespace|bomformat)/.test(name)) {
      expect(readIt).toThrow(LockfileError);
      return;
    }
    const { packages, problems } = readIt();
    for (const { line, purl } of packages) {
      expect(line).toBeGreaterThan(0);
      expect(PackageURL.fromString(purl).toString()).toBe(purl);
    }
    if (name.endsWith('.json')) {
      const ids = new Set(packages.map(({ purl }) => purl));
      expect(ids).toEqual(new Set(purlsIn(JSON.parse(content.toString()))));
    }
    if (/\/valid-/.test(name)) {
      for (const { message } of problems) expect(message).toMatch(/has no purl|no package was found/);
    }
  });
});

interface AnyComponent {
  readonly purl?: string;
  readonly components?: readonly AnyComponent[];
}

/** All purls of components, by a simple search. */
function purlsIn({ components = [] }: AnyComponent): readonly string[] {
  return components.flatMap((one) => [
    ...(one.purl === undefined ? [] : [PackageURL.fromString(one.purl).toString()]),
    ...purlsIn(one),
  ]);
}

const REAL = join(CORPORA, 'real');

describe.skipIf(!existsSync(REAL))('whole files of known projects', () => {
  function readReal(file: string) {
    return readLockfile({
      path: file.split('__').at(-1) ?? file,
      content: readFileSync(join(REAL, file)),
    });
  }

  it('an SPDX manifest has the packages of its JSON', () => {
    const file = 'component-detection__spdx__manifest.spdx.json';
    const { packages, problems } = readReal(file);
    const oracle = JSON.parse(readFileSync(join(CORPORA, 'real-oracles', `${file}.native.json`), 'utf8')) as {
      data: readonly { name: string; version: string; purl: readonly string[] }[];
    };
    expect(problems).toEqual([]);
    const wanted = oracle.data.filter(({ name }) => name !== 'TestProject');
    expect(packages.map(shownByName).sort()).toEqual([...new Set(wanted.map(shownByName))].sort());
    expect(packages.every(({ direct, line }) => direct === true && line !== undefined)).toBe(true);
  });

  it('a Gradle lock of a build script has all lines', () => {
    const file = 'component-detection__gradle__buildscript-gradle.lockfile';
    const { packages, problems } = readReal(file);
    const rows = readFileSync(join(REAL, file), 'utf8')
      .split('\n')
      .filter((row) => /^\w.*:/.test(row));
    expect(problems).toEqual([]);
    expect(packages.map(({ name, version }) => `${name}:${version}=classpath`)).toEqual(rows);
    expect(packages.every(({ groups }) => groups.join() === 'build')).toBe(true);
  });

  it('a parent pom with dependency management only has no dependencies', () => {
    expect(readReal('dependency-track__pom.xml')).toMatchObject({ packages: [], problems: [] });
  });
});

function shownByName({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`;
}
