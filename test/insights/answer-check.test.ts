import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { compileAnswerCheck } from '../../src/insights/answer-check.ts';
import type { ContractProblem } from '../../src/insights/answered.ts';
import { checkAgainstSchema } from '../discovery/check-against-schema.ts';

const document = await readBundledDescription('insights.v3alpha');

function check(schema: string, value: unknown, fields?: readonly string[]) {
  const problems: ContractProblem[] = [];
  const usable = compileAnswerCheck(document, schema, fields)(value, problems);
  return { usable, problems: problems.map(({ path, message }) => `${path}: ${message}`) };
}

describe('an answer that does not fit', () => {
  test('loses the parts that do not fit and keeps the rest; the raw answer is unchanged', () => {
    const version = {
      versionKey: { system: 'NPM', name: 7, version: '1.0.0' },
      isDefault: 'yes',
      licenses: ['MIT', 3, 'ISC'],
      advisoryKeys: [{ id: 'GHSA-a' }, 'GHSA-b', { id: 'GHSA-c' }],
      links: null,
      isDeprecated: true,
      findings: { unheard: 'of' },
    };
    const before = structuredClone(version);
    expect(check('Version', version)).toEqual({
      usable: {
        versionKey: { system: 'NPM', version: '1.0.0' },
        licenses: ['MIT', 'ISC'],
        advisoryKeys: [{ id: 'GHSA-a' }, {}, { id: 'GHSA-c' }],
        isDeprecated: true,
        findings: { unheard: 'of' },
      },
      problems: [
        '$.versionKey.name: text is expected, there is 7',
        '$.isDefault: true or false is expected, there is "yes"',
        '$.licenses[1]: text is expected, there is 3',
        '$.advisoryKeys[1]: an object is expected, there is "GHSA-b"',
      ],
    });
    expect(version).toEqual(before);
  });

  test('does not include fractional check scores ("score: number")', () => {
    const project = { scorecard: { checks: [{ name: 'Fuzzing', score: 7.5 }], overallScore: 8 } };
    expect(check('Project', project)).toEqual({ usable: project, problems: [] });
  });

  test('keeps an unknown value of an enumeration and reports it', () => {
    const { usable, problems } = check('VersionKey', { system: 'SWIFT', name: 'a', version: '1' });
    expect(usable).toEqual({ system: 'SWIFT', name: 'a', version: '1' });
    expect(problems).toEqual([
      '$.system: one of GO, RUBYGEMS, NPM, CARGO, MAVEN, PYPI, NUGET is expected, there is "SWIFT"',
    ]);
  });

  test('is checked against the reference and enumeration of a property, regardless of its type', () => {
    const odd = {
      schemas: {
        Key: { id: 'Key', type: 'object', properties: { id: { type: 'string' } } },
        Answer: {
          id: 'Answer',
          type: 'object',
          properties: {
            key: { $ref: 'Key', type: 'string' },
            names: { type: 'array', items: { type: 'string', enum: ['A', 'B'] } },
            keys: { type: 'array', items: { $ref: 'Key', type: 'string' } },
          },
        },
      },
    };
    const problems: ContractProblem[] = [];
    const answer = { key: 'text', names: ['A', 'C'], keys: ['text', { id: 'a' }] };
    const usable = compileAnswerCheck(odd, 'Answer')(answer, problems);
    expect(usable).toEqual({ names: ['A', 'C'], keys: [{}, { id: 'a' }] });
    expect(problems.map(({ path }) => path)).toEqual(['$.key', '$.names[1]', '$.keys[0]']);
  });

  test('of another kind has no usable part', () => {
    expect(check('Version', ['a'])).toEqual({
      usable: undefined,
      problems: ['$: an object is expected, there is ["a"]'],
    });
    expect(check('Dependents', { dependentCount: 1.5, directDependentCount: 2 })).toEqual({
      usable: { directDependentCount: 2 },
      problems: ['$.dependentCount: an integer is expected, there is 1.5'],
    });
  });

  test('is reported at every place, also in the thousandth entry', () => {
    const responses = Array.from({ length: 1_000 }, () => 'none');
    const { usable, problems } = check('VersionBatch', { responses });
    expect(problems).toHaveLength(1_000);
    expect(usable).toEqual({ responses: responses.map(() => ({})) });
  });
});

test('fields that are not read are not checked', () => {
  const answer = {
    responses: [{ request: 1, version: { links: 'none', licenses: 'MIT', versionKey: { name: 'a' } } }],
    nextPageToken: 3,
  };
  const walked: string[] = [];
  const watched = watch(answer, '$', walked);
  const { usable, problems } = check('VersionBatch', watched, ['responses.version.versionKey.name']);
  expect(problems).toEqual([]);
  expect(usable).toBe(watched);
  expect(new Set(walked)).toEqual(
    new Set([
      '$.responses',
      '$.responses.0',
      '$.responses.0.version',
      '$.responses.0.version.versionKey',
      '$.responses.0.version.versionKey.name',
    ]),
  );
});

test('a valid answer is returned itself, with unknown fields', () => {
  const text = fc.string();
  const key = fc.record(
    { system: fc.constantFrom('NPM', 'GO'), name: text, version: text },
    { requiredKeys: [] },
  );
  const version = fc.record(
    {
      versionKey: key,
      publishedAt: text,
      isDefault: fc.boolean(),
      licenses: fc.array(text),
      advisoryKeys: fc.array(fc.record({ id: text })),
      relatedProjects: fc.array(fc.record({ projectKey: fc.record({ id: text }) })),
      newerThanTheDocument: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(version, (value) => {
      const { usable, problems } = check('Version', value);
      expect(problems).toEqual([]);
      expect(usable).toBe(value);
    }),
  );
});

test('the result is always valid, and every loss is a problem', () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record({
      responses: fc.array(
        fc.record({
          version: fc.record(
            { versionKey: fc.jsonValue(), licenses: fc.jsonValue(), advisoryKeys: fc.jsonValue() },
            { requiredKeys: [] },
          ),
        }),
      ),
    }),
  );
  fc.assert(
    fc.property(anything, (value) => {
      const { usable, problems } = check('VersionBatch', value);
      if (usable === undefined) return void expect(problems).not.toEqual([]);
      const left = checkAgainstSchema(document, 'VersionBatch', usable);
      expect(left.filter(({ message }) => !message.includes('has to be one of'))).toEqual([]);
      if (problems.length === 0) expect(withoutNulls(usable)).toEqual(withoutNulls(value));
    }),
  );
});

/** Records each property that is read from an object tree. */
function watch(value: unknown, path: string, walked: string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name) {
      const item: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name) || name === 'length') return item;
      walked.push(`${path}.${name}`);
      return watch(item, `${path}.${name}`, walked);
    },
  });
}

function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, item) => item ?? undefined);
}
