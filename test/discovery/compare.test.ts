import { describe, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { compareDescriptions } from '../../src/discovery/compare/descriptions.ts';
import type { RestDescription } from '../../src/discovery/description/description.ts';

const text = { type: 'string' } as const;
const base = {
  kind: 'discovery#restDescription',
  rootUrl: 'https://sample.example/',
  servicePath: 'v1/',
  parameters: { fields: { ...text, location: 'query' } },
  schemas: {
    Book: {
      id: 'Book',
      type: 'object',
      properties: {
        title: text,
        pages: { type: 'integer', format: 'int32' },
        kind: { ...text, enum: ['NOVEL', 'POEM'] },
        author: { $ref: 'Author' },
        tags: { type: 'array', items: text },
      },
    },
    Author: {
      id: 'Author',
      type: 'object',
      properties: { name: text, books: { type: 'array', items: { $ref: 'Book' } } },
    },
    Draft: { id: 'Draft', type: 'object', properties: { title: text, size: { type: 'integer' } } },
  },
  resources: {
    books: {
      methods: {
        get: {
          id: 'books.get',
          httpMethod: 'GET',
          path: 'books/{book.id}',
          parameters: {
            'book.id': { ...text, location: 'path', required: true },
            view: { ...text, location: 'query', enum: ['FULL', 'BASIC'] },
            limit: { type: 'integer', format: 'int32', location: 'query', maximum: '100' },
            tag: { ...text, location: 'query', repeated: true },
          },
          response: { $ref: 'Book' },
          scopes: ['read', 'write'],
          mediaUpload: {
            accept: ['*/*'],
            maxSize: '10MB',
            protocols: { simple: { path: 'upload/books', multipart: true } },
          },
        },
        create: {
          id: 'books.create',
          httpMethod: 'POST',
          path: 'books',
          request: { $ref: 'Draft' },
          response: { $ref: 'Book' },
        },
      },
    },
  },
};

type Node = Record<string, unknown>;

/** The base document with one place changed; `undefined` removes the place. */
function changed(keys: readonly string[], value: unknown): RestDescription {
  // Through JSON, so that no two places share an object.
  const copy = JSON.parse(JSON.stringify(base)) as Node;
  let node = copy;
  for (const key of keys.slice(0, -1)) {
    node[key] ??= {};
    node = node[key] as Node;
  }
  const last = keys.at(-1) ?? '';
  if (value === undefined) delete node[last];
  else node[last] = value;
  return copy as RestDescription;
}

function differences(keys: readonly string[], value: unknown) {
  return compareDescriptions(base, changed(keys, value)).map(
    ({ class: severity, kind, path }) => `${severity} ${kind} ${path}`,
  );
}

const GET = ['resources', 'books', 'methods', 'get'];
const get = '$.resources.books.methods.get';
const BOOK = ['schemas', 'Book', 'properties'];
const book = '$.schemas.Book.properties';

describe('a difference is', () => {
  test.each<[readonly string[], unknown, string]>([
    [GET, undefined, `breaking method-removed ${get}`],
    [[...GET, 'httpMethod'], 'POST', `breaking verb-changed ${get}.httpMethod`],
    [[...GET, 'path'], 'volumes/{book.id}', `breaking path-changed ${get}.path`],
    [[...GET, 'path'], 'books/{+book.id}', `breaking path-changed ${get}.path`],
    [['rootUrl'], 'https://other.example/', 'breaking root-url-changed $.rootUrl'],
    [
      [...GET, 'parameters', 'more'],
      { ...text, required: true },
      `breaking parameter-required ${get}.parameters.more`,
    ],
    [
      [...GET, 'parameters', 'view', 'required'],
      true,
      `breaking parameter-required ${get}.parameters.view.required`,
    ],
    [[...GET, 'parameters', 'tag'], undefined, `breaking parameter-removed ${get}.parameters.tag`],
    [
      [...GET, 'parameters', 'tag', 'repeated'],
      false,
      `breaking repetition-changed ${get}.parameters.tag.repeated`,
    ],
    [[...GET, 'parameters', 'view', 'enum'], ['FULL'], `breaking enum-narrowed ${get}.parameters.view.enum`],
    [[...GET, 'parameters', 'tag', 'enum'], ['a'], `breaking enum-narrowed ${get}.parameters.tag.enum`],
    [
      [...GET, 'parameters', 'tag', 'pattern'],
      '^a',
      `breaking pattern-changed ${get}.parameters.tag.pattern`,
    ],
    [
      [...GET, 'parameters', 'limit', 'maximum'],
      '50',
      `breaking maximum-changed ${get}.parameters.limit.maximum`,
    ],
    [
      [...GET, 'parameters', 'limit', 'minimum'],
      '1',
      `breaking minimum-changed ${get}.parameters.limit.minimum`,
    ],
    [[...GET, 'parameters', 'limit', 'type'], 'string', `breaking type-changed ${get}.parameters.limit.type`],
    [
      [...GET, 'parameters', 'book.id', 'location'],
      'query',
      `breaking location-changed ${get}.parameters["book.id"].location`,
    ],
    [[...GET, 'response'], undefined, `breaking response-removed ${get}.response`],
    [[...GET, 'scopes'], ['read'], `breaking scopes-narrowed ${get}.scopes`],
    [[...GET, 'mediaUpload'], undefined, `breaking upload-removed ${get}.mediaUpload`],
    [[...GET, 'mediaUpload', 'maxSize'], '9MB', `breaking upload-narrowed ${get}.mediaUpload.maxSize`],
    [[...BOOK, 'title'], undefined, `breaking property-removed ${book}.title`],
    [[...BOOK, 'pages', 'type'], 'string', `breaking type-changed ${book}.pages.type`],
    [[...BOOK, 'pages', 'format'], 'int64', `breaking format-changed ${book}.pages.format`],
    [[...BOOK, 'kind', 'enum'], ['NOVEL'], `breaking enum-narrowed ${book}.kind.enum`],
    [[...BOOK, 'author', '$ref'], 'Gone', `breaking schema-missing ${book}.author.$ref`],
    [
      ['schemas', 'Draft', 'properties', 'title', 'annotations'],
      { required: ['books.create'] },
      'breaking property-required $.schemas.Draft.properties.title.annotations.required',
    ],
    [
      ['schemas', 'Draft', 'properties', 'isbn'],
      { ...text, annotations: { required: ['books.create'] } },
      'breaking property-required $.schemas.Draft.properties.isbn',
    ],
    [[...GET, 'deprecated'], true, `deprecating deprecated ${get}.deprecated`],
    [['resources', 'books', 'deprecated'], true, `deprecating deprecated ${get}.deprecated`],
    [['labels'], ['deprecated'], 'deprecating deprecated $.labels'],
    [[...BOOK, 'title', 'deprecated'], true, `deprecating deprecated ${book}.title.deprecated`],
    [
      [...BOOK, 'kind', 'enumDeprecated'],
      [false, true],
      `deprecating deprecated ${book}.kind.enumDeprecated`,
    ],
    [[...GET, 'parameters', 'more'], text, `compatible parameter-added ${get}.parameters.more`],
    [
      [...GET, 'parameters', 'view', 'enum'],
      undefined,
      `compatible enum-widened ${get}.parameters.view.enum`,
    ],
    [
      [...GET, 'parameters', 'limit', 'maximum'],
      '200',
      `compatible maximum-changed ${get}.parameters.limit.maximum`,
    ],
    [
      [...GET, 'parameters', 'limit', 'format'],
      'int64',
      `compatible format-changed ${get}.parameters.limit.format`,
    ],
    [
      [...GET, 'parameters', 'view', 'default'],
      'FULL',
      `compatible default-changed ${get}.parameters.view.default`,
    ],
    [[...GET, 'scopes'], ['read', 'write', 'admin'], `compatible scopes-widened ${get}.scopes`],
    [[...BOOK, 'isbn'], text, `compatible property-added ${book}.isbn`],
    [[...BOOK, 'kind', 'enum'], ['NOVEL', 'POEM', 'PLAY'], `compatible enum-widened ${book}.kind.enum`],
    [['schemas', 'New'], { type: 'object' }, 'compatible schema-added $.schemas.New'],
    [
      ['resources', 'books', 'methods', 'list'],
      { id: 'books.list', httpMethod: 'GET', path: 'books' },
      'compatible method-added $.resources.books.methods.list',
    ],
  ])('%j = %j', (keys, value, expected) => {
    expect(differences(keys, value)[0]).toBe(expected);
  });

  test('none for documentation, unknown fields, and another tree or split of the same path', () => {
    expect(differences(['revision'], '2')).toEqual([]);
    expect(differences([...GET, 'description'], 'other words')).toEqual([]);
    expect(differences([...BOOK, 'title', 'readOnly'], true)).toEqual([]);
    const moved = changed(['servicePath'], '') as typeof base & Node;
    const { get: one, create } = base.resources.books.methods;
    const elsewhere = {
      ...moved,
      methods: { get: { ...one, path: 'v1/books/{book.id}' } },
      resources: { x: { resources: { y: { methods: { create: { ...create, path: 'v1/books' } } } } } },
    };
    expect(compareDescriptions(base, elsewhere as RestDescription)).toEqual([]);
  });

  test('judged by the content of schemas when only their name differs', () => {
    const { Author, ...others } = JSON.parse(JSON.stringify(base.schemas)) as typeof base.schemas;
    const renamed = changed(['schemas'], { ...others, Writer: { ...Author, properties: { name: text } } });
    const book = (renamed.schemas as Record<string, Node>)['Book'] as { properties: Node };
    book.properties['author'] = { $ref: 'Writer' };
    expect(
      compareDescriptions(base, renamed).map(({ class: severity, kind, path }) => [severity, kind, path]),
    ).toEqual([
      ['breaking', 'property-removed', '$.schemas.Book.properties.author.properties.books'],
      ['compatible', 'reference-changed', '$.schemas.Book.properties.author.$ref'],
      ['compatible', 'schema-removed', '$.schemas.Author'],
      ['compatible', 'schema-added', '$.schemas.Writer'],
    ]);
  });

  test('compatible when a type in a request body becomes larger', () => {
    expect(differences(['schemas', 'Draft', 'properties', 'size', 'type'], 'number')).toEqual([
      'compatible type-changed $.schemas.Draft.properties.size.type',
    ]);
  });

  // A client has to read everything that it receives, so a wider type is breaking there too.
  test.each<[was: string | undefined, is: string | undefined, received: string, sent: string]>([
    [undefined, 'string', 'breaking', 'breaking'],
    ['any', 'string', 'breaking', 'breaking'],
    ['number', 'integer', 'breaking', 'breaking'],
    ['string', undefined, 'breaking', 'compatible'],
    ['integer', 'number', 'breaking', 'compatible'],
    ['string', 'any', 'breaking', 'compatible'],
    ['number', 'string', 'breaking', 'breaking'],
    ['boolean', 'integer', 'breaking', 'breaking'],
    ['integer', 'boolean', 'breaking', 'breaking'],
  ])('a type %s that became %s: %s where it is received, %s where it is sent', (was, is, ...classes) => {
    const document = (type: string | undefined) =>
      ({
        schemas: {
          Got: { id: 'Got', type: 'object', properties: { size: { type } } },
          Sent: { id: 'Sent', type: 'object', properties: { size: { type } } },
        },
        methods: {
          put: {
            id: 'put',
            httpMethod: 'PUT',
            path: 'x',
            request: { $ref: 'Sent' },
            response: { $ref: 'Got' },
          },
        },
      }) as RestDescription;
    const found = compareDescriptions(document(was), document(is));
    expect(found.map(({ kind }) => kind)).toEqual(['type-changed', 'type-changed']);
    const of = (schema: string) => found.find(({ path }) => path.includes(schema))?.class;
    expect([of('Got'), of('Sent')]).toEqual(classes);
  });

  test.each<
    [was: readonly string[] | undefined, is: readonly string[] | undefined, gone: string | undefined]
  >([
    [['image/png', 'image/gif'], ['image/png'], 'image/gif'],
    [['image/png'], ['image/png', 'image/gif'], undefined],
    [['image/png'], undefined, undefined],
    [undefined, undefined, undefined],
    [undefined, ['image/png'], '*/*'],
    [undefined, ['*/*'], undefined],
  ])('media %j that became %j', (was, is, gone) => {
    const document = (accept: readonly string[] | undefined) =>
      ({
        methods: { put: { id: 'put', httpMethod: 'PUT', path: 'x', mediaUpload: { accept } } },
      }) as RestDescription;
    expect(compareDescriptions(document(was), document(is))).toMatchObject(
      gone === undefined
        ? []
        : [
            {
              class: 'breaking',
              kind: 'upload-narrowed',
              path: '$.methods.put.mediaUpload.accept',
              message: `no longer names: ${gone}`,
            },
          ],
    );
  });

  test('absent between a document and itself', async () => {
    for (const name of ['insights.v3alpha', 'webhooks.v1'] as const) {
      const own = await readBundledDescription(name);
      expect(compareDescriptions(own, structuredClone(own))).toEqual([]);
    }
  });
});
