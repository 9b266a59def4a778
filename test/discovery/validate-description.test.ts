import { describe, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import type { RestDescription } from '../../src/discovery/description/description.ts';
import { validateDescription } from '../../src/discovery/description/validate-description.ts';
import { checkAgainstSchema } from './check-against-schema.ts';

const valid = {
  kind: 'discovery#restDescription',
  rootUrl: 'https://sample.example/',
  anythingElse: { at: ['all'] },
  schemas: {
    Node: { id: 'Node', type: 'object', readOnly: true, properties: { next: { $ref: 'Node' } } },
  },
  resources: {
    a: {
      resources: {
        b: {
          methods: {
            get: {
              id: 'sample.a.b.get',
              httpMethod: 'GET',
              path: 'b/{id}',
              parameters: { id: { type: 'string', location: 'path', required: true, unknown: 1 } },
              response: { $ref: 'Node' },
            },
          },
        },
      },
    },
  },
};

/** The valid document with one value put in. */
function withValue(keys: readonly (string | number)[], value: unknown): unknown {
  const copy = structuredClone(valid);
  let node = copy as unknown as Record<string | number, Record<string, unknown>>;
  for (const key of keys.slice(0, -1)) node = node[key] as never;
  node[keys.at(-1) ?? ''] = value as never;
  // As in JSON: an absent value has no key.
  return JSON.parse(JSON.stringify(copy));
}

const GET = ['resources', 'a', 'resources', 'b', 'methods', 'get'];

describe('a description document', () => {
  test('may have unknown fields, cycles and any depth', () => {
    expect(validateDescription(valid)).toEqual([]);
  });

  test.each([
    [['kind'], 'other', '$.kind', /discovery#restDescription/],
    [['rootUrl'], 'ftp://x/', '$.rootUrl', /http or https/],
    [['labels'], 'deprecated', '$.labels', /a list/],
    [['features'], [1], '$.features[0]', /text/],
    [['icons'], { x16: 1 }, '$.icons.x16', /text/],
    [['endpoints'], [{ deprecated: 'no' }], '$.endpoints[0].deprecated', /true or false/],
    [
      ['auth'],
      { oauth2: { scopes: { 'https://s/x': 'read' } } },
      '$.auth.oauth2.scopes["https://s/x"]',
      /object/,
    ],
    [['schemas', 'Node'], [], '$.schemas.Node', /an object/],
    [
      ['schemas', 'Node', 'properties', 'next'],
      { $ref: 'Gone' },
      '$.schemas.Node.properties.next.$ref',
      /Gone/,
    ],
    [['schemas', 'Node', 'items'], { enum: ['a', 1] }, '$.schemas.Node.items.enum[1]', /text/],
    [['schemas', 'Node', 'additionalProperties'], true, '$.schemas.Node.additionalProperties', /object/],
    [['schemas', 'Node', 'default'], 5, '$.schemas.Node.default', /text/],
    [['schemas', 'Node', 'annotations'], { required: 'x' }, '$.schemas.Node.annotations.required', /list/],
    [[...GET, 'httpMethod'], undefined, '$.resources.a.resources.b.methods.get.httpMethod', /missing/],
    [
      [...GET, 'httpMethod'],
      'get it',
      '$.resources.a.resources.b.methods.get.httpMethod',
      /not an HTTP method/,
    ],
    [[...GET, 'path'], undefined, '$.resources.a.resources.b.methods.get.path', /missing/],
    [[...GET, 'path'], 'b/{id', '$.resources.a.resources.b.methods.get.path', /brace/],
    [[...GET, 'parameters', 'id', 'location'], 'body', /\.parameters\.id\.location$/, /"path" or "query"/],
    [[...GET, 'request'], { $ref: 'Nope' }, /\.get\.request\.\$ref$/, /Nope/],
    [
      [...GET, 'mediaUpload'],
      { protocols: { simple: { multipart: 1 } } },
      /simple\.multipart$/,
      /true or false/,
    ],
    [[...GET, 'scopes'], {}, /\.scopes$/, /list/],
    [[...GET, 'mediaUpload'], { maxSize: '10XB' }, /mediaUpload\.maxSize$/, /MB, GB or TB; it is "10XB"/],
    [[...GET, 'mediaUpload'], { maxSize: 'many' }, /mediaUpload\.maxSize$/, /"many"/],
    [[...GET, 'mediaUpload'], { maxSize: '' }, /mediaUpload\.maxSize$/, /""/],
    [[...GET, 'mediaUpload'], { maxSize: 10 }, /mediaUpload\.maxSize$/, /text/],
  ])('%j = %j is an error, with its path', (keys, value, path, message) => {
    const [problem, ...others] = validateDescription(withValue(keys, value));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      severity: 'error',
      path: typeof path === 'string' ? path : expect.stringMatching(path),
      message: expect.stringMatching(message),
    });
  });

  test.each(['10485760', '10MB', '10 GB', '1.5TB', '64KB'])('may accept media of at most %s', (maxSize) => {
    expect(validateDescription(withValue([...GET, 'mediaUpload'], { maxSize }))).toEqual([]);
  });

  test.each([
    [['rootUrl'], undefined, /rootUrl/],
    [['protocol'], 'rpc', /protocol/],
    [[...GET, 'id'], undefined, /\.get\.id$/],
    [[...GET, 'path'], 'b/{id}/{other}', /\.get\.path$/],
    [[...GET, 'path'], 'b', /get\.parameters\.id$/],
    [[...GET, 'parameterOrder'], ['other'], /parameterOrder$/],
    [['schemas', 'Node', 'items'], { enum: ['a'], enumDescriptions: [] }, /enumDescriptions$/],
    [['schemas', 'Node', 'items'], { type: 'strin' }, /\.items\.type$/],
    [['methods'], { get: { id: 'sample.a.b.get', httpMethod: 'GET', path: 'x' } }, /\.id$/],
  ])('%j = %j is a warning', (keys, value, path) => {
    expect(validateDescription(withValue(keys, value))).toMatchObject([
      { severity: 'warning', path: expect.stringMatching(path) },
    ]);
  });

  test('may name schemas by an id that is not their key', () => {
    const other = { id: 'ByAnotherName', type: 'object' };
    const document = withValue(['schemas', 'Other'], other) as RestDescription;
    const methods = { a: { id: 'a', httpMethod: 'GET', path: 'a', response: { $ref: other.id } } };
    expect(validateDescription({ ...document, methods })).toEqual([]);
    expect(checkAgainstSchema(document, other.id, 1)).toMatchObject([{ message: 'has to be an object' }]);
  });

  test('of another kind is refused, and the checks of a hostile one are bounded', () => {
    for (const value of [null, 1, 'text', []]) {
      expect(validateDescription(value)[0]).toMatchObject({ severity: 'error', path: '$' });
    }
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 20_000; level += 1) deep = { items: deep };
    expect(validateDescription({ ...valid, schemas: { ...valid.schemas, Deep: deep } })).toMatchObject([
      { message: 'is nested too deep' },
    ]);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`S${index}`, 1]));
    expect(validateDescription({ ...valid, schemas: { ...valid.schemas, ...many } })).toHaveLength(100);
  });

  test.each(['insights.v3alpha', 'webhooks.v1'] as const)('the bundled %s has no problems', async (name) => {
    expect(validateDescription(await readBundledDescription(name))).toEqual([]);
  });
});
