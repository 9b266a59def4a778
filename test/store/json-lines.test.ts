import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packLargeJson, unpackJson } from '../../src/store/values/compression.ts';
import { jsonParts, readJsonLines } from '../../src/store/values/json-lines.ts';

it('writes the text of JSON.stringify', () => {
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
  const list = Array.from({ length: 30_001 }, (_, at) => (at % 7 === 0 ? undefined : { at }));
  for (const value of [
    list,
    { result: { lockfiles: [{ packages: list }] } },
    [[[[[list]]]]],
    { a: undefined, b: [] },
  ]) {
    expect([...jsonParts(value)].join('')).toBe(JSON.stringify(value));
  }
  expect([...jsonParts(list)].length).toBe(303);
});

it('writes small values in one part, and long texts in their own', () => {
  const small = { result: { findings: [{ id: 1 }, { id: 2 }] }, next: [] };
  expect([...jsonParts(small)]).toEqual([JSON.stringify(small)]);
  const packages = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      purl: `pkg:npm/name-${at}@1.2.3`,
      record: { licenses: ['MIT'] },
    }));
  const inventory = (count: number) => ({ result: { lockfiles: [{ packages: packages(count) }] } });
  expect([...jsonParts(inventory(90))]).toHaveLength(1);
  expect([...jsonParts(inventory(900))].length).toBeGreaterThan(3);
  const texts = Array.from({ length: 3 }, () => 'x'.repeat(400_000));
  expect([...jsonParts(texts)].map(({ length }) => length)).toEqual([1, 400_002, 1, 400_002, 1, 400_002, 1]);
});

const read = (lines: string, bytes = 7) =>
  readJsonLines(
    (async function* () {
      const text = Buffer.from(lines);
      for (let at = 0; at < text.length; at += bytes) yield text.subarray(at, at + bytes);
    })(),
  );

it('reads lines in blocks of any size, and JSON without line breaks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 7 }), fc.integer({ min: 1, max: 40 }), async (one, bytes) => {
      const written = JSON.stringify(one);
      expect(await read([...jsonParts(one)].join('\n'), bytes)).toEqual(JSON.parse(written));
      expect(await read(written, bytes)).toEqual(JSON.parse(written));
    }),
    { numRuns: 300 },
  );
  const list = Array.from({ length: 30_001 }, (_, at) => ({ at, text: '{\n,' }));
  const value = { result: { lockfiles: [{ packages: list }, { packages: [] }] }, next: [[list]] };
  expect(await read([...jsonParts(value)].join('\n'), 1_000)).toEqual(value);
});

it('refuses lines that are cut off or out of order', async () => {
  const lines = ['{', '"a":', '[', '{"b":1}', ',', '2', ']', ',"c":', '"x"', '}'];
  expect(await read(lines.join('\n'))).toEqual({ a: [{ b: 1 }, 2], c: 'x' });
  for (const keep of lines.keys()) await expect(read(lines.slice(0, keep).join('\n'))).rejects.toThrow();
  await expect(read('{\n"a":\n]')).rejects.toThrow('ends nothing');
  await expect(read('{\n1')).rejects.toThrow('a key is expected');
});

it('yields to the event loop while a large value is packed', async () => {
  const packages = Array.from({ length: 60_000 }, (_, at) => ({
    id: `package-${at}`,
    purl: `pkg:npm/package-${at}@1.0.0`,
  }));
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  });
  const packed = await packLargeJson({ result: { packages } });
  clearInterval(others);
  expect(turns).toBeGreaterThan(3);
  if (typeof packed === 'string') throw new Error('a large value is text');
  turns = 0;
  const again = setInterval(() => {
    turns += 1;
  });
  expect(await unpackJson(packed)).toEqual({ result: { packages } });
  clearInterval(again);
  expect(turns).toBeGreaterThan(3);
});
