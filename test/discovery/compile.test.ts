import { describe, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { asDescription, type RestDescription } from '../../src/discovery/description/description.ts';
import { methodsOf } from '../../src/discovery/description/methods.ts';
import { type CallArguments, compileRequest } from '../../src/discovery/request/compile.ts';

const text = { type: 'string' } as const;
const document: RestDescription = {
  kind: 'discovery#restDescription',
  id: 'sample:v1',
  name: 'sample',
  rootUrl: 'https://sample.example/',
  servicePath: 'v1/',
  parameters: { fields: { ...text, location: 'query' } },
  methods: {
    ping: { id: 'sample.ping', httpMethod: 'GET', path: 'ping' },
  },
  resources: {
    shelves: {
      methods: {
        list: {
          id: 'sample.shelves.list',
          httpMethod: 'GET',
          path: '{+parent}/shelves:search',
          parameters: {
            parent: { ...text, location: 'path', required: true, pattern: '^rooms/[^/]+$' },
            tag: { ...text, location: 'query', repeated: true },
            size: { type: 'integer', format: 'int32', location: 'query', minimum: '1', maximum: '100' },
            since: { ...text, format: 'int64', location: 'query' },
            order: { ...text, location: 'query', enum: ['asc', 'desc'], default: 'asc' },
            all: { type: 'boolean', location: 'query' },
            score: { type: 'number', location: 'query' },
            odd: { ...text, location: 'query', pattern: '(?P<python>x)' },
          },
        },
      },
      resources: {
        books: {
          methods: {
            get: {
              httpMethod: 'GET',
              path: 'books/{book.id}:read',
              parameters: { 'book.id': { ...text, location: 'path', required: true } },
              response: { $ref: 'Book' },
            },
            put: { id: 'sample.books.put', httpMethod: 'PUT', path: 'books', request: { $ref: 'Book' } },
          },
        },
      },
    },
  },
};

const urlOf = (id: string, call?: CallArguments) => compileRequest(document, id, call).url;
const list = (params: Record<string, string | number | boolean | string[]>) =>
  urlOf('sample.shelves.list', { params: { parent: 'rooms/1', ...params } });

describe('methods', () => {
  test('are found at any depth, and named after their place without an id', () => {
    expect(methodsOf(document).map(({ id, resource }) => [id, resource.join('/')])).toEqual([
      ['sample.ping', ''],
      ['sample.shelves.list', 'shelves'],
      ['sample.shelves.books.get', 'shelves/books'],
      ['sample.books.put', 'shelves/books'],
    ]);
  });

  test('with the same id are all found: the first has the id, the others are named after their places', () => {
    const shelf = { id: 'sample.get', httpMethod: 'GET', path: 'shelf' };
    const shared = asDescription(
      {
        ...document,
        methods: {},
        resources: {
          shelf: { methods: { get: shelf, getMedia: { ...shelf, path: 'shelf/media' } } },
          box: { methods: { get: { ...shelf, path: 'box' } } },
        },
      },
      'sample',
    );
    const path = (id: string) => compileRequest(shared, id).url.slice('https://sample.example/v1/'.length);
    expect(methodsOf(shared).map(({ id }) => [id, path(id)])).toEqual([
      ['sample.get', 'shelf'],
      ['sample.shelf.getMedia', 'shelf/media'],
      ['sample.box.get', 'box'],
    ]);
  });

  test('that do not exist are an error', () => {
    expect(() => urlOf('sample.pong')).toThrow(/sample:v1 has no method sample\.pong$/);
    expect(() => urlOf('Shelves.LIST')).toThrow(/no method Shelves\.LIST; it has sample\.shelves\.list$/);
    expect(() => urlOf('shelves')).toThrow(/; it has sample\.shelves\.list, sample\.shelves\.books\.get$/);
  });

  test('of the bundled documents are all found: 19 and 8', async () => {
    for (const [name, count] of [['insights.v3alpha', 19] as const, ['webhooks.v1', 8] as const]) {
      const own = await readBundledDescription(name);
      expect(methodsOf(own)).toHaveLength(count);
      for (const { id, request, response } of methodsOf(own)) {
        for (const schema of [request, response]) {
          if (schema !== undefined) expect(own.schemas, id).toHaveProperty([schema]);
        }
      }
    }
  });
});

describe('URLs', () => {
  test('are root, service path, expansion and query', () => {
    expect(urlOf('sample.ping')).toBe('https://sample.example/v1/ping');
    expect(urlOf('sample.shelves.books.get', { params: { 'book.id': 'a/b c@1%' } })).toBe(
      'https://sample.example/v1/books/a%2Fb%20c%401%25:read',
    );
    expect(list({ tag: ['a b', 'ü&'], size: 5, all: true, since: '9007199254740993' })).toBe(
      'https://sample.example/v1/rooms/1/shelves:search?tag=a+b&tag=%C3%BC%26&size=5&all=true&since=9007199254740993',
    );
    expect(urlOf('sample.ping', { params: { fields: 'a' } })).toBe('https://sample.example/v1/ping?fields=a');
  });

  test('accept another root URL, with or without a path', () => {
    for (const rootUrl of ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/']) {
      expect(urlOf('sample.ping', { rootUrl })).toBe('http://127.0.0.1:8080/v1/ping');
    }
    expect(urlOf('sample.ping', { rootUrl: 'http://h/proxy/' })).toBe('http://h/proxy/v1/ping');
  });

  test('fall back to the deprecated baseUrl', () => {
    const { rootUrl, servicePath, ...rest } = document;
    expect(compileRequest({ ...rest, baseUrl: 'https://old.example/v0/' }, 'sample.ping').url).toBe(
      'https://old.example/v0/ping',
    );
    expect(() => compileRequest(rest, 'sample.ping')).toThrow(/no rootUrl/);
    expect(rootUrl).not.toBe(servicePath);
  });

  test('name the format when the document has formats and the method has an answer', () => {
    const formats = { ...document, parameters: { alt: { ...text, location: 'query' } } };
    const get = (params: object) =>
      compileRequest(formats, 'sample.shelves.books.get', { params: { 'book.id': '1', ...params } }).url;
    expect(get({})).toBe('https://sample.example/v1/books/1:read?alt=json');
    expect(get({ alt: 'media' })).toBe('https://sample.example/v1/books/1:read?alt=media');
    expect(compileRequest(formats, 'sample.ping').url).toBe('https://sample.example/v1/ping');
  });
});

describe('parameters are refused before sending', () => {
  test.each<[Record<string, string | number | boolean | string[]>, RegExp]>([
    [{ parent: 'halls/1' }, /parameter parent has to match/],
    [{ parent: '' }, /parameter parent has to match/],
    [{ size: 0 }, /at least 1/],
    [{ size: 101 }, /at most 100/],
    [{ size: 1.5 }, /an integer/],
    [{ size: [] }, /one value, not a list/],
    [{ since: '9223372036854775808' }, /fit int64/],
    [{ order: 'up' }, /one of asc, desc/],
    [{ all: 'yes' }, /true or false/],
    [{ score: 'high' }, /a number/],
    [{ nope: 1 }, /has no parameter nope/],
    [{ constructor: 1 }, /has no parameter constructor/],
  ])('%j', (params, message) => {
    expect(() => list(params)).toThrow(message);
  });

  test('when a required one is missing or empty', () => {
    expect(() => urlOf('sample.shelves.list')).toThrow(/parameter parent is required/);
    expect(() => urlOf('sample.shelves.books.get', { params: { 'book.id': '' } })).toThrow(
      /may not be empty/,
    );
  });

  test('except by a pattern of another dialect; defaults are not sent', () => {
    expect(list({ odd: 'x' })).toBe('https://sample.example/v1/rooms/1/shelves:search?odd=x');
  });
});

describe('bodies', () => {
  test('are JSON', () => {
    expect(compileRequest(document, 'sample.books.put', { body: { a: 1 } })).toEqual({
      method: 'PUT',
      url: 'https://sample.example/v1/books',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: '{"a":1}',
    });
  });

  test('are refused for methods without a body', () => {
    expect(() => compileRequest(document, 'sample.ping', { body: {} })).toThrow('sample.ping takes no body');
  });
});

test('a value that is not a description is refused with its place', () => {
  expect(() => asDescription({ kind: 'other' }, 'apis/x.json')).toThrow('apis/x.json: kind is "other"');
  expect(() => asDescription([], 'apis/x.json')).toThrow(
    'apis/x.json: a description document is a JSON object',
  );
});
