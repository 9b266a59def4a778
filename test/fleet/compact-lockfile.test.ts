import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compactLockfile,
  decodeLockfileIds,
  encodeLockfileIds,
  expandLockfile,
  type LockfileIds,
  namedLockfile,
} from '../../src/fleet/compact-lockfile.ts';
import { identityOf, packageOf } from '../../src/fleet/identity.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../../src/model/scan/inventory.ts';
import { LOCKFILE_INVENTORY } from '../../src/model/stored/catalog.ts';

const ecosystem = fc.constantFrom('npm', 'pypi', 'golang', 'maven', 'nuget', 'gem', 'cargo', 'deb');
const name = fc.constantFrom('a', 'B_b', '@scope/name', 'group:artifact', 'github.com/Org/Repo', 'ä', 'x@y');
const version = fc.constantFrom('1.0.0', '', 'v1.2.3', '1.0+build.5', '1@2', '2026-01-01');
const outcome = fc.constantFrom('resolved', 'missing', 'failed', 'unsupported', 'private', 'uncovered');

const locked = fc.record({
  ecosystem,
  name,
  version,
  direct: fc.constantFrom(true, false, undefined),
  groups: fc.subarray(['dev', 'optional', 'test']),
  line: fc.option(fc.nat(10_000), { nil: undefined }),
  edges: fc.option(fc.array(fc.nat(40), { maxLength: 4 }), { nil: undefined }),
  outcome,
  isAliased: fc.boolean(),
});

const lockfile = fc
  .array(locked, { maxLength: 30 })
  .map((entries): Omit<ResolvedLockfile, 'path' | 'sha256'> => {
    const ids = entries.map((entry, index) =>
      entry.isAliased || entries.findIndex((one) => idOf(one) === idOf(entry)) < index
        ? `${idOf(entry)} (${index})`
        : idOf(entry),
    );
    return {
      format: 'package-lock',
      problems: [{ kind: 'unclear', line: 3, message: 'no version' }],
      packages: entries.map((entry, index): ResolvedPackage => {
        const { isAliased: _, outcome: result, edges, ...rest } = entry;
        return {
          id: ids[index] ?? '',
          ...rest,
          purl: `pkg:${entry.ecosystem}/${entry.name}@${entry.version}`,
          dependencies: edges?.map((edge) => ids[edge] ?? `absent ${edge}`),
          resolution: { outcome: result, ...(result === 'resolved' ? {} : { reason: 'because' }) },
        };
      }),
    };
  });

function idOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`;
}

/** Ids in an order that differs from that of the names. */
function interning() {
  const ids = new Map<string, number>();
  const identities = new Map<number, string>();
  return {
    /** The identities of packages, and their ids. */
    intern(packages: readonly ResolvedPackage[]): [string[], number[]] {
      const own = packages.map(identityOf);
      for (const identity of own) {
        const id = ids.get(identity) ?? ((ids.size * 7_919) % 100_003) + 1;
        ids.set(identity, id);
        identities.set(id, identity);
      }
      return [own, own.map((identity) => ids.get(identity) as number)];
    },
    identitiesOf: ({ lookedUp, excluded }: LockfileIds) =>
      [...lookedUp, ...excluded].map((id) => identities.get(id)),
  };
}

describe('a compact lockfile', () => {
  it('gives the packages back in their order, with everything that judging reads', async () => {
    await fc.assert(
      fc.asyncProperty(lockfile, async (file) => {
        const { intern, identitiesOf } = interning();
        const { ids, rest } = await compactLockfile(file, ...intern(file.packages));
        const stored = (await LOCKFILE_INVENTORY.schema()).parse(JSON.parse(JSON.stringify(rest)));
        const read = await expandLockfile(
          namedLockfile(stored, identitiesOf(decodeLockfileIds(encodeLockfileIds(ids)))),
        );
        expect(stored.problems).toEqual(file.problems);
        expect(read.map((one) => one.locked)).toEqual(
          file.packages.map(({ resolution: _, ...rest }) => ({
            ...rest,
            integrity: [],
            source: { kind: 'registry' },
          })),
        );
        expect(read.map((one) => one.excluded)).toEqual(
          file.packages.map(({ resolution }) =>
            ['private', 'unsupported'].includes(resolution.outcome)
              ? [resolution.outcome, 'because']
              : undefined,
          ),
        );
      }),
    );
  });

  it('does not depend on what the service said', async () => {
    await fc.assert(
      fc.asyncProperty(lockfile, async (file) => {
        const { intern } = interning();
        const looksUp = ({ resolution }: ResolvedPackage) =>
          resolution.outcome !== 'private' && resolution.outcome !== 'unsupported';
        const other = file.packages.map((one) =>
          looksUp(one) ? { ...one, resolution: { outcome: 'missing' as const, reason: 'gone' } } : one,
        );
        const first = await compactLockfile(file, ...intern(file.packages));
        const second = await compactLockfile({ ...file, packages: other }, ...intern(other));
        expect(JSON.stringify(second.rest)).toBe(JSON.stringify(first.rest));
        expect(encodeLockfileIds(second.ids)).toEqual(encodeLockfileIds(first.ids));
      }),
    );
  });

  it('takes 10 bytes a package at most', async () => {
    const { intern } = interning();
    const packages = Array.from({ length: 1_000 }, (_, index): ResolvedPackage => {
      const id = `package-${index}@1.${index % 7}.0`;
      return {
        id,
        ecosystem: 'npm',
        name: `package-${index}`,
        version: `1.${index % 7}.0`,
        purl: `pkg:npm/package-${index}@1.${index % 7}.0`,
        direct: index % 20 === 0,
        groups: index % 3 === 0 ? ['dev'] : [],
        line: 10 + index * 12,
        dependencies: [1, 5, 60].map(
          (step) => `package-${(index + step) % 1_000}@1.${((index + step) % 1_000) % 7}.0`,
        ),
        resolution: { outcome: 'resolved' },
      };
    });
    const { ids, rest } = await compactLockfile(
      { format: 'package-lock', problems: [], packages },
      ...intern(packages),
    );
    const { zstdCompressSync } = await import('node:zlib');
    const bytes = encodeLockfileIds(ids).length + zstdCompressSync(JSON.stringify(rest)).length;
    expect(bytes / 1_000).toBeLessThan(10);
  });

  it('is refused when its ids are damaged', async () => {
    const { intern, identitiesOf } = interning();
    const packages = ['a', 'b'].map((one): ResolvedPackage => {
      const parts = packageOf(`NPM:${one}@1.0.0`);
      const resolution = { outcome: 'resolved' as const };
      return {
        id: `${one}@1.0.0`,
        ...parts,
        groups: [],
        resolution,
      };
    });
    const { ids, rest } = await compactLockfile({ format: 'f', problems: [], packages }, ...intern(packages));
    const encoded = encodeLockfileIds(ids);
    expect(() => decodeLockfileIds(encoded.subarray(0, 5))).toThrow(RangeError);
    const cut = { lookedUp: ids.lookedUp.subarray(0, 1), excluded: ids.excluded };
    expect(() => namedLockfile(rest, identitiesOf(cut))).toThrow('package 1 has no identity');
  });
});

describe('the identity of a package', () => {
  it('is the same for all spellings of a name that the index does not distinguish', () => {
    const pypi = (name: string) => identityOf({ ecosystem: 'pypi', name, version: '1.0' });
    expect(pypi('Foo_Bar')).toBe('PYPI:foo-bar@1.0');
    expect(pypi('foo.bar')).toBe('PYPI:foo-bar@1.0');
    expect(identityOf({ ecosystem: 'golang', name: 'example.com/A', version: '1.2.3' })).toBe(
      'GO:example.com/A@v1.2.3',
    );
  });

  it('names the package in the spelling of the index', () => {
    expect(packageOf('NPM:@scope/name@1.0.0')).toEqual({
      ecosystem: 'npm',
      name: '@scope/name',
      version: '1.0.0',
      purl: 'pkg:npm/%40scope/name@1.0.0',
    });
    expect(packageOf('deb:bash@5.2')).toMatchObject({ ecosystem: 'deb', name: 'bash', version: '5.2' });
  });
});
