import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import type { LockedPackage } from '../../src/model/lockfile.ts';

const CORPORA =
  process.env['LOCKHOUND_CORPORA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'corpora');
const LOCKFILES = join(CORPORA, 'lockfiles');
const present = existsSync(LOCKFILES);

interface Expected {
  readonly tool: string;
  readonly input: string;
  readonly error?: boolean;
  readonly packages?: readonly {
    readonly name: string;
    readonly version: string;
    readonly id?: string;
    readonly groups?: readonly string[];
    readonly relationship?: string;
    readonly lines?: readonly (readonly [number, number])[];
  }[];
  readonly dependencies?: readonly { readonly id: string; readonly dependsOn: readonly string[] }[];
}

function cases(): readonly (readonly [string, string])[] {
  if (!present) return [];
  return readdirSync(LOCKFILES)
    .filter((format) => format.startsWith('npm-package-lock'))
    .flatMap((format) =>
      readdirSync(join(LOCKFILES, format)).map(
        (name) => [`${format}/${name}`, join(LOCKFILES, format, name)] as const,
      ),
    );
}

function nameAndVersion({ name, version }: { name: string; version: string }): string {
  return `${name}@${version}`;
}

/** What a tool leaves out by its own policy, and we do not. */
function leftOut({ tool, packages }: Expected, locked: LockedPackage, folder: string): boolean {
  // syft leaves out development packages with all that is nested under them; osv-scalibr reads no package-lock beside a shrinkwrap (as discovery does).
  if (tool === 'syft') return locked.groups.includes('dev') || locked.name === 'dev-nested';
  return packages?.length === 0 && existsSync(join(folder, 'npm-shrinkwrap.json'));
}

/** The root and workspace members by name and version: the target itself, which some tools list all the same. */
function ownNames(root: {
  name?: string;
  version?: string;
  packages?: Record<string, { name?: string; version?: string }>;
}) {
  const members = Object.entries(root.packages ?? {}).filter(([path]) => !path.includes('node_modules/'));
  return new Set([
    `${root.name}@${root.version}`,
    ...members.map(([path, { name, version }]) => `${name ?? path.split('/').at(-1)}@${version}`),
  ]);
}

/** Root and workspace packages are the target itself; two of the tools list them all the same. */
function isOurs(one: { readonly relationship?: string }): boolean {
  return one.relationship !== 'root' && one.relationship !== 'workspace';
}

describe.skipIf(!present)('npm lockfiles of the corpora', () => {
  it.each(cases())('%s', (_name, folder) => {
    const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected;
    const content = readFileSync(join(folder, expected.input));
    const read = () => readLockfile({ path: expected.input, content, format: 'npm-package-lock' });
    if (expected.error === true) {
      expect(read).toThrow(LockfileError);
      return;
    }
    const { packages, problems } = read();
    expect(problems).toEqual([]);
    const wanted = (expected.packages ?? []).filter(isOurs).map(nameAndVersion);
    const own = ownNames(JSON.parse(content.toString()));
    const found = packages.filter((one) => !leftOut(expected, one, folder)).map(nameAndVersion);
    expect([...new Set(found)].sort()).toEqual([...new Set(wanted.filter((name) => !own.has(name)))].sort());
    if (expected.tool === 'trivy') {
      checkLines(
        packages,
        (expected.packages ?? []).filter((one) => isOurs(one) && !own.has(nameAndVersion(one))),
      );
      checkEdges(packages, expected.dependencies ?? []);
    }
  });
});

function checkLines(packages: readonly LockedPackage[], wanted: NonNullable<Expected['packages']>): void {
  for (const { name, version, lines } of wanted) {
    const first = lines?.map(([start]) => start) ?? [];
    const found = packages.find((one) => one.name === name && one.version === version);
    if (first.length > 0) expect(first, `${name}@${version}`).toContain(found?.line);
  }
}

function checkEdges(packages: readonly LockedPackage[], graph: NonNullable<Expected['dependencies']>): void {
  const byId = new Map(packages.map((one) => [nameAndVersion(one), one]));
  for (const { id, dependsOn } of graph) {
    const found = byId.get(id);
    if (found !== undefined)
      expect([...(found.dependencies ?? [])].sort(), id).toEqual([...dependsOn].sort());
  }
}

const REAL = join(CORPORA, 'real');

describe.skipIf(!existsSync(REAL))('whole lockfiles of known projects', () => {
  it.each(['pg-boss__package-lock.json', 'warehouse__package-lock.json'])(
    '%s agrees with arborist',
    (file) => {
      const { packages, problems } = readLockfile({
        path: 'package-lock.json',
        content: readFileSync(join(REAL, file)),
      });
      const oracle = JSON.parse(
        readFileSync(join(CORPORA, 'real-oracles', `${file}.native.json`), 'utf8'),
      ) as {
        data: readonly {
          name: string;
          version: string;
          dev?: boolean;
          optional?: boolean;
          path: string;
          link?: boolean;
        }[];
      };
      const wanted = oracle.data.filter(({ path, link }) => path.includes('node_modules/') && link !== true);
      expect(problems).toEqual([]);
      expect(packages.map(nameAndVersion).sort()).toEqual([...new Set(wanted.map(nameAndVersion))].sort());
      for (const locked of packages) {
        const places = wanted.filter((one) => nameAndVersion(one) === nameAndVersion(locked));
        const isDev = places.every(({ dev }) => dev === true);
        expect(locked.groups.includes('dev'), locked.id).toBe(isDev);
      }
    },
  );
});
