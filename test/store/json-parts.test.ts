import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packLargeJson, unpackJson } from '../../src/store/compression.ts';
import { jsonParts } from '../../src/store/json-parts.ts';

it('writes what JSON.stringify writes', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 7 }),
    fc.object({ maxDepth: 7, values: [fc.constant(undefined), fc.string(), fc.double()] }),
  );
  fc.assert(
    fc.property(value, (one) => {
      expect([...jsonParts(one)].join('')).toBe(JSON.stringify(one));
    }),
    { numRuns: 300 },
  );
});

it('writes long lists in parts, at any depth', () => {
  const list = Array.from({ length: 1_201 }, (_, at) => (at % 7 === 0 ? undefined : { at }));
  for (const value of [
    list,
    { result: { lockfiles: [{ packages: list }] } },
    [[[[[list]]]]],
    { a: undefined, b: [] },
  ]) {
    expect([...jsonParts(value)].join('')).toBe(JSON.stringify(value));
  }
  expect([...jsonParts(list)].length).toBe(5);
});

it('leaves the event loop to others while a large value is packed', async () => {
  const packages = Array.from({ length: 60_000 }, (_, at) => ({
    id: `package-${at}`,
    purl: `pkg:npm/package-${at}@1.0.0`,
  }));
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 0);
  const packed = await packLargeJson({ result: { packages } });
  clearInterval(others);
  expect(turns).toBeGreaterThan(3);
  expect(await unpackJson(packed)).toEqual({ result: { packages } });
});
