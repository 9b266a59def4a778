import { describe, expect, it } from 'vitest';
import { readLockfile } from '../../src/lockfiles/read.ts';
import type { Integrity, LockedPackage, Lockfile } from '../../src/model/lockfile/lockfile.ts';
import { renderCyclonedx } from '../../src/report/cyclonedx/cyclonedx.ts';
import { SPEC_VERSIONS } from '../../src/report/cyclonedx/source.ts';
import { formatOfSample, SAMPLES } from '../lockfiles/samples.ts';

/** With what not every format states: scripts at installation, and a digest of full length. */
const INSTALLING = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    'node_modules/a': { version: '1.0.0', hasInstallScript: true, integrity: `sha512-${'A'.repeat(86)}==` },
  },
});

describe('a BOM that Lockhound reads again', () => {
  it.each([...Object.entries(SAMPLES), ['npm-package-lock (installing)', INSTALLING] as const])(
    'has the packages of the lockfile: %s',
    (name, text) => {
      const format = formatOfSample(name);
      const before = readLockfile({ path: 'sample', content: Buffer.from(text), format });
      for (const version of SPEC_VERSIONS) {
        const source = { name: 't', lockfiles: [{ path: 'sample', ...before }], unread: [], findings: [] };
        const bom = [...renderCyclonedx(source, version)].join('');
        const after = readLockfile({ path: 'bom.json', content: Buffer.from(bom), format: 'cyclonedx-json' });
        // A package without a version is one in both, and both say so.
        expect(after.problems.filter(({ message }) => !message.endsWith('has no version'))).toEqual([]);
        expect(comparable(after)).toEqual(comparable(before));
      }
    },
  );
});

/** Lines are those of the file that was read; digests are in hexadecimal in a BOM. */
function comparable({ packages }: Pick<Lockfile, 'packages'>): readonly unknown[] {
  const knowsDirect = packages.some(({ direct }) => direct === true);
  return packages.map(({ line: _, direct, integrity, dependencies, groups, ...rest }: LockedPackage) => ({
    ...rest,
    groups: [...groups].sort(),
    direct: knowsDirect ? direct : undefined,
    integrity: integrity.map(inHex),
    dependencies,
  }));
}

function inHex({ algorithm, value, encoding }: Integrity): string {
  return `${algorithm} ${Buffer.from(value, encoding).toString('hex')}`;
}
