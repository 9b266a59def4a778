import fc from 'fast-check';
import { expect, it } from 'vitest';
import { draftPackage } from '../../src/lockfiles/packages/lockfile-builder.ts';
import { PackageCollector } from '../../src/lockfiles/packages/package-collector.ts';

it('merges the entries of a version in sorted and in other orders', () => {
  const names = fc.array(fc.constantFrom('a', 'a-b', 'a.b', 'b', 'b1', 'c', '@a/b', '@a/c'));
  fc.assert(
    fc.property(names, fc.boolean(), (all, isSorted) => {
      const added = isSorted ? all.toSorted() : all;
      const collector = new PackageCollector();
      for (const [line, name] of added.entries()) {
        const draft = draftPackage({ ecosystem: 'npm', name, version: '1.0.0', line });
        if (typeof draft === 'string') throw new Error(draft);
        collector.add(draft);
      }
      const firsts = [...new Set(added)].map((name) => [name, added.indexOf(name)]);
      expect(collector.packages().map(({ name, line }) => [name, line])).toEqual(firsts);
    }),
  );
});
