import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonCursor } from '../../src/lockfiles/syntax/json-cursor.ts';
import { UnknownLayout } from '../../src/lockfiles/syntax/unknown-layout.ts';
import { damaged } from './damaged.ts';

function isPassed(text: string): boolean {
  const cursor = new JsonCursor(text);
  try {
    cursor.pass();
    cursor.finish();
    return true;
  } catch (error) {
    if (error instanceof UnknownLayout) return false;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the cursor over JSON', () => {
  it.each([
    ...['1.e5', '01', '-', '-0', '1e5', '1E+05', '.5', '+1', '1.', 'truex', 'True', 'nul', 'NaN', '1 2'],
    ...[
      '"\\x"',
      '"\\u12g4"',
      '"\\ud800"',
      '"\\""',
      '"\\\\"',
      '"\\',
      '"a\tb"',
      '"a\nb"',
      '"\u007f\u2028"',
      '"',
    ],
    ...['{"a":1,}', '[1,]', '[,1]', '{,}', '{a:1}', "{'a':1}", '{"a" 1}', '{"a":}', '[1 2]', '{"a":1 "b":2}'],
    ...['[}', '{]', '[', '{"a"', '', ' ', '\u00a01', '\ufeff1', '1\u0000', '/**/1', '[1]]', '\v1'],
    ...['{"a":{"b":[[],{}]}}\r\n', '\t[ ]', '{ }', '[true,false,null]'],
  ])('accepts %j exactly if it is JSON', (text) => {
    expect(isPassed(text)).toBe(isJson(text));
  });

  it('accepts exactly JSON', () => {
    let passed = 0;
    const text = fc.oneof(fc.json(), fc.json({ stringUnit: 'binary' }));
    const laidOut = fc
      .tuple(text, fc.constantFrom(undefined, 2, '\t'))
      .map(([json, indent]) => JSON.stringify(JSON.parse(json), null, indent));
    fc.assert(
      fc.property(damaged(laidOut), (changed) => {
        expect(isPassed(changed)).toBe(isJson(changed));
        if (isJson(changed)) passed += 1;
      }),
      { numRuns: 5_000 },
    );
    expect(passed).toBeGreaterThan(500);
  });

  it('returns the values of JSON.parse and the lines of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (members) => {
        const text = JSON.stringify(members, null, 2);
        const cursor = new JsonCursor(text);
        for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
          const line = cursor.passKey();
          const key = cursor.lastText();
          expect(text.split('\n')[line - 1]).toMatch(/^ {2}"/);
          expect(text.split('\n')[line - 1]).toContain(JSON.stringify(key));
          expect(cursor.value()).toEqual((JSON.parse(text) as Record<string, unknown>)[key]);
        }
        cursor.finish();
      }),
    );
  });

  it('returns the keys of objects that repeat keys of others', () => {
    const key = fc.oneof(
      fc.constantFrom('a', 'ab', '@a/b', 'é', '"', '\\', ' 1'),
      fc.string({ unit: 'binary' }),
    );
    const object = fc.dictionary(
      key.filter((name) => !/^\d+$/.test(name)),
      fc.constant('^1.0.0'),
    );
    fc.assert(
      fc.property(fc.array(object, { minLength: 1 }), (objects) => {
        const cursor = new JsonCursor(JSON.stringify(objects));
        const keys: (readonly string[])[] = [];
        for (let more = cursor.enterList(); more; more = cursor.nextElement()) keys.push(cursor.nextKeys());
        cursor.finish();
        expect(keys).toEqual(objects.map((one) => Object.keys(one)));
      }),
    );
  });

  it('refuses text that nests too deep', () => {
    expect(isPassed(`${'['.repeat(100)}${']'.repeat(100)}`)).toBe(true);
    expect(isPassed(`${'['.repeat(101)}${']'.repeat(101)}`)).toBe(false);
    expect(isPassed('['.repeat(1_000_000))).toBe(false);
  });
});
