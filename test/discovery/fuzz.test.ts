import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { compareDescriptions } from '../../src/discovery/compare/descriptions.ts';
import type { RestDescription } from '../../src/discovery/description/description.ts';
import { methodsOf } from '../../src/discovery/description/methods.ts';
import { summarizeApi } from '../../src/discovery/description/summary.ts';
import { validateDescription } from '../../src/discovery/description/validate-description.ts';
import { compileRequest } from '../../src/discovery/request/compile.ts';
import { CodedError } from '../../src/model/errors.ts';
import { anyText } from '../any-text.ts';

const own = await readBundledDescription('insights.v3alpha');
const places = [...placesIn(own, [])];

function* placesIn(value: unknown, above: readonly string[]): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield [...above, key];
    yield* placesIn(inner, [...above, key]);
  }
}

/** The document with random values at some places. */
const damaged = fc
  .array(fc.tuple(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 2 })), { minLength: 1, maxLength: 4 })
  .map((changes) => {
    const copy = structuredClone(own) as unknown as Record<string, unknown>;
    for (const [keys, value] of changes) {
      let node: Record<string, unknown> | undefined = copy;
      for (const key of keys.slice(0, -1)) {
        const next: unknown = node?.[key];
        node = typeof next === 'object' && next !== null ? (next as Record<string, unknown>) : undefined;
      }
      if (node !== undefined) node[keys.at(-1) ?? ''] = value;
    }
    return copy as RestDescription;
  });

function coded<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

test('a damaged document causes coded errors only', () => {
  fc.assert(
    fc.property(damaged, (document) => {
      const errors = validateDescription(document).filter(({ severity }) => severity === 'error');
      coded(() => summarizeApi(document));
      coded(() => compareDescriptions(own, document));
      coded(() => compareDescriptions(document, own));
      for (const { id, parameters, request } of methodsOf(own)) {
        const params = Object.fromEntries([...parameters.keys()].map((name) => [name, 'NPM']));
        const body = request === undefined ? {} : { body: { requests: [{ purl: 'pkg:npm/a@1' }] } };
        coded(() => compileRequest(document, id, { params, ...body }));
      }
      return errors.every(({ path }) => path.startsWith('$'));
    }),
    { numRuns: 150 },
  );
});

test('a path has its segments and a query its pairs, for any values', () => {
  const value = anyText({ minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(value, value, fc.array(value, { maxLength: 4 }), (one, two, many) => {
      // Refused: no URL names such a segment.
      fc.pre(!/^\.\.?$/.test(one));
      const text = { type: 'string' } as const;
      const document = {
        rootUrl: 'https://sample.example/',
        methods: {
          get: {
            id: 'get',
            httpMethod: 'GET',
            path: 'a/{one}/b/{two}:verb',
            parameters: {
              one: { ...text, location: 'path', required: true },
              two: { ...text, location: 'path', required: true },
              many: { ...text, location: 'query', repeated: true },
            },
          },
        },
      };
      const url = compileRequest(document, 'get', { params: { one, two, many } }).url;
      const [path = '', query = ''] = url.split('?');
      expect(url.split('?').length).toBeLessThanOrEqual(2);
      const segments = path.replace('https://sample.example/', '').split('/');
      expect(segments).toHaveLength(4);
      expect(decodeURIComponent(segments[1] ?? '')).toBe(one.toWellFormed());
      expect(decodeURIComponent((segments[3] ?? '').replace(/:verb$/, ''))).toBe(two.toWellFormed());
      expect(new URLSearchParams(query).getAll('many')).toEqual(many.map((item) => item.toWellFormed()));
    }),
  );
});
