import { isAscii } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BunDocument } from '../../src/lockfiles/bun-lock/document.ts';
import type { Name } from '../../src/lockfiles/bun-lock/places.ts';
import { readDocument } from '../../src/lockfiles/bun-lock/read-document.ts';
import { readGeneral } from '../../src/lockfiles/bun-lock/read-general.ts';
import { UnknownLayout } from '../../src/lockfiles/syntax/unknown-layout.ts';

const name = fc.stringMatching(/^(?:@[a-z]{1,3}\/)?[a-z]{1,4}$/);
const names = fc.dictionary(name, fc.constantFrom('^1', '*', 'npm:b@1', ''), { maxKeys: 3 });
const details = fc.record(
  {
    dependencies: names,
    optionalDependencies: names,
    peerDependencies: names,
    optionalPeers: fc.array(name, { maxLength: 2 }),
    bin: fc.oneof(names, fc.constant('a.js')),
    os: fc.constantFrom('linux', ['!win32', 'linux']),
    other: fc.constantFrom(null, true, -1.5e3, [], {}, [{ a: [1] }]),
  },
  { requiredKeys: [] },
);
const digest = fc.constantFrom('sha512-YWJj', 'sha1-YQ==');
const entry = fc.oneof(
  fc.tuple(
    name.map((one) => `${one}@1.0.0`),
    fc.constantFrom('', 'https://npm.acme.example/'),
    details,
    digest,
  ),
  fc.tuple(
    name.map((one) => `${one}@github:o/r#0123456`),
    details,
    fc.constant('o-r-0123456'),
  ),
  fc.tuple(name.map((one) => `${one}@workspace:packages/a`)),
);
const lockfile = fc
  .record({ packages: fc.dictionary(name, entry, { maxKeys: 5 }), dependencies: names })
  .map(({ packages, dependencies }) => {
    const inline = (value: unknown) => JSON.stringify(value).replaceAll(/(?<=[{[,:])|(?=[}\]])/g, ' ');
    const lines = Object.entries(packages).map(([key, value]) => `    "${key}": ${inline(value)},\n`);
    const workspaces = { '': { name: 'x', dependencies } };
    return `{\n  "lockfileVersion": 1,\n  "workspaces": ${JSON.stringify(workspaces)},\n  "packages": {\n${lines.join('\n')}  }\n}\n`;
  });

function readOnce(text: string): BunDocument | undefined {
  try {
    const content = Buffer.from(text);
    return readDocument({ text, bytes: isAscii(content) ? new Uint8Array(content) : undefined });
  } catch (error) {
    if (error instanceof UnknownLayout) return undefined;
    throw error;
  }
}

/** Ignores repeated names, and the position of integer keys in JSON.parse. */
function essential({ packages, nameOf: _, ...rest }: BunDocument) {
  const list = (names: readonly (string | Name)[]) =>
    [...new Set(names.map((one) => (typeof one === 'string' ? one : one.text)))].sort();
  const entries = packages.map((one) =>
    'fault' in one
      ? one
      : {
          ...one,
          dependencies: list(one.dependencies),
          optionalDependencies: list(one.optionalDependencies),
          peerDependencies: list(one.peerDependencies),
          optionalPeers: list(one.optionalPeers),
        },
  );
  return { ...rest, packages: entries.sort((left, right) => (left.line ?? 0) - (right.line ?? 0)) };
}

it('reads the layout of Bun in one pass, with the result of the general parser', () => {
  fc.assert(
    fc.property(lockfile, (text) => {
      const read = readOnce(text);
      expect(read).toBeDefined();
      const functions = { nameOf: expect.any(Function) };
      expect(read).toEqual({ ...readGeneral(text, 'x'), ...functions });
    }),
  );
});

it('agrees with the general parser on all damaged files that it accepts', () => {
  const change = fc.record({
    at: fc.nat(),
    length: fc.nat(6),
    by: fc.constantFrom('', ',', '"', '{', '}', '[', ']', ':', '\n', '\t', '\\', ' ', '1', '"packages": {}'),
  });
  let taken = 0;
  fc.assert(
    fc.property(lockfile, fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
      const damaged = changes.reduce((whole, { at, length, by }) => {
        const from = at % whole.length;
        return whole.slice(0, from) + by + whole.slice(from + length);
      }, text);
      const read = readOnce(damaged);
      if (read === undefined) return;
      taken += 1;
      expect(essential(read)).toEqual(essential(readGeneral(damaged, 'x')));
    }),
    { numRuns: 2_000 },
  );
  expect(taken).toBeGreaterThan(50);
});
