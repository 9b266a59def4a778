import fc from 'fast-check';
import { expect, it } from 'vitest';
import { identityOf, isSpelledAs, packageOf } from '../../src/fleet/identity.ts';

const word = fc.constantFrom('a', 'A', 'b', 'a.b', 'a-b', '@s/a', '', '1', '1.0', 'v1', '1@2', '1 2');
const packages = fc.array(
  fc.record({
    ecosystem: fc.constantFrom('npm', 'pypi', 'golang', 'nuget', 'deb'),
    name: word,
    version: word,
    purl: fc.oneof(
      fc.constantFrom('pkg:npm/a@1', 'pkg:pypi/a-b@1', 'pkg:golang/a@v1', 'pkg:deb/a@1', ''),
      fc.tuple(word, word).map(([name, version]) => `pkg:npm/${name}@${version}`),
    ),
  }),
  { maxLength: 40 },
);

it('tells whether a package is spelled as its identity determines', () => {
  fc.assert(
    fc.property(packages, (list) => {
      for (const one of list) {
        const identity = identityOf(one);
        const own = packageOf(identity);
        expect(isSpelledAs(identity, one)).toBe(
          own.ecosystem === one.ecosystem &&
            own.name === one.name &&
            own.version === one.version &&
            own.purl === one.purl,
        );
      }
    }),
  );
});
