import { describe, expect, test } from 'vitest';
import type { RestDescription } from '../../src/discovery/description/description.ts';
import { findMethod } from '../../src/discovery/description/methods.ts';
import { type CallArguments, compileRequest } from '../../src/discovery/request/compile.ts';
import { paramsInOrder, signatureOf } from '../../src/discovery/request/request-parameters.ts';

const text = { type: 'string' } as const;
const document: RestDescription = {
  id: 'sample:v1',
  rootUrl: 'https://sample.example/',
  parameters: { alt: { ...text, location: 'query', default: 'json' }, key: { ...text, location: 'query' } },
  schemas: {
    Note: {
      type: 'object',
      properties: {
        title: { ...text, annotations: { required: ['write'] } },
        size: { ...text, format: 'int64' },
        at: { ...text, format: 'google-datetime' },
        level: { type: 'integer', format: 'int32', minimum: '1' },
        inner: { $ref: 'Note' },
        broken: { $ref: 'Gone' },
      },
    },
  },
  methods: {
    read: {
      id: 'read',
      httpMethod: 'GET',
      path: 'v1/{+name}/parts{/part*}{?extra}',
      flatPath: 'v1/rooms/{roomsId}/notes/{notesId}',
      parameters: {
        name: { ...text, location: 'path', required: true, pattern: '^rooms/[^/]+$' },
        part: { ...text, location: 'path', repeated: true },
        mode: { ...text, location: 'query', required: true, default: 'full' },
        ids: { ...text, location: 'query', repeated: true, required: true, default: 'a' },
        ratio: { type: 'number', location: 'query' },
        mask: { ...text, format: 'google-fieldmask', location: 'query' },
      },
      parameterOrder: ['mode', 'name'],
    },
    write: {
      id: 'write',
      httpMethod: 'POST',
      path: 'v1/notes',
      request: { $ref: 'Note' },
      response: { $ref: 'Note' },
    },
    ping: { id: 'ping', httpMethod: 'GET', path: 'ping' },
  },
};

const urlOf = (call: CallArguments, id = 'read') => compileRequest(document, id, call).url;

describe('parameters', () => {
  test('that are required and not given have their default', () => {
    expect(urlOf({ params: { name: 'rooms/1' } })).toBe(
      'https://sample.example/v1/rooms/1/parts?mode=full&ids=a',
    );
    expect(urlOf({ params: { name: 'rooms/1', mode: 'x', ids: ['b', 'c'] } })).toMatch(
      /\?mode=x&ids=b&ids=c$/,
    );
  });

  test('of the path may be lists, and variables that the document does not declare are texts', () => {
    const params = { name: 'rooms/1', part: ['a', 'b/c'], extra: 'd e' };
    expect(urlOf({ params })).toBe(
      'https://sample.example/v1/rooms/1/parts/a/b%2Fc?extra=d%20e&mode=full&ids=a',
    );
  });

  test('common to all methods are accepted and sent unchanged', () => {
    expect(urlOf({ params: { key: 'k' } }, 'ping')).toBe('https://sample.example/ping?key=k');
    expect(urlOf({ params: { alt: 'media' } }, 'ping')).toBe('https://sample.example/ping?alt=media');
  });

  test('that are decimal have a decimal point', () => {
    const ratio = (value: number | string) =>
      /ratio=([^&]*)/.exec(urlOf({ params: { name: 'rooms/1', ratio: value } }))?.[1];
    expect([ratio(2), ratio(2.5), ratio('2'), ratio(-0.25), ratio(1e21)]).toEqual([
      '2.0',
      '2.5',
      '2',
      '-0.25',
      '1e%2B21',
    ]);
  });

  test('are checked for their format, except in lenient mode', () => {
    const params = { name: 'rooms/1', mask: '#frag' };
    expect(() => urlOf({ params })).toThrow(/parameter mask has to be field names/);
    expect(urlOf({ params, lenient: true })).toContain('mask=%23frag');
  });

  test.each(['rooms/..', 'rooms/.', 'rooms/%2e%2E'])(
    'of the path that lead elsewhere are refused: %s',
    (name) => {
      expect(() => urlOf({ params: { name } })).toThrow(/may not be \. or \.\./);
      expect(urlOf({ params: { name: `${name}x` } })).toContain(`${name}x/parts`);
    },
  );

  test('of a flat path are its variables', () => {
    const params = { roomsId: 'a b', notesId: '1/2' };
    expect(urlOf({ params, flatPath: true })).toBe(
      'https://sample.example/v1/rooms/a%20b/notes/1%2F2?mode=full&ids=a',
    );
    expect(() => urlOf({ params: { roomsId: 'a' }, flatPath: true })).toThrow(/notesId is required/);
    expect(() => urlOf({ params: { ...params, name: 'rooms/1' }, flatPath: true })).toThrow(
      /name has no place in the flatPath: it has roomsId, notesId/,
    );
    expect(() => urlOf({ flatPath: true }, 'ping')).toThrow('ping has no flatPath');
  });

  test('of the path are not required when the path has no variable for them', () => {
    const get = {
      id: 'get',
      httpMethod: 'GET',
      path: 'v1/notes/{note}',
      parameters: {
        note: { ...text, location: 'path', required: true },
        room: { ...text, location: 'path', required: true },
      },
    };
    const call = (params: Record<string, string>, lenient = false) =>
      compileRequest({ ...document, methods: { get } }, 'get', { params, lenient }).url;
    const url = 'https://sample.example/v1/notes/1';
    expect(call({ note: '1' })).toBe(url);
    expect(() => call({ note: '1', room: 'a' })).toThrow(/room has no place in the path: it has note/);
    // Other clients build this URL for the call.
    expect(call({ note: '1', room: 'a' }, true)).toBe(url);
    expect(() => call({ room: 'a' }, true)).toThrow(/note is required/);
  });

  test('accept alt=media for media downloads, regardless of the listed formats', () => {
    const alt = { ...text, location: 'query', default: 'json', enum: ['json', 'csv'] };
    const download = { id: 'download', httpMethod: 'GET', path: 'file', supportsMediaDownload: true };
    const methods = { download, list: { ...download, id: 'list', supportsMediaDownload: false } };
    const call = (id: string, value: string) =>
      compileRequest({ ...document, parameters: { alt }, methods }, id, { params: { alt: value } }).url;
    expect(call('download', 'media')).toBe('https://sample.example/file?alt=media');
    expect(call('download', 'csv')).toBe('https://sample.example/file?alt=csv');
    expect(() => call('download', 'xml')).toThrow(/alt has to be one of json, csv, media/);
    expect(() => call('list', 'media')).toThrow(/alt has to be one of json, csv;/);
  });

  test('in the order of a signature begin with parameterOrder', () => {
    const method = findMethod(document, 'read');
    expect(signatureOf(method)).toEqual(['mode', 'name', 'ids']);
    expect(paramsInOrder(method, ['full', 'rooms/1'])).toEqual({ mode: 'full', name: 'rooms/1' });
    expect(() => paramsInOrder(findMethod(document, 'ping'), ['a'])).toThrow(
      /takes 0 values in order \(none\)/,
    );
  });

  test.each([[{ a: 1 }], [null], [[{}]]])('from JSON that are not scalars are refused: %j', (value) => {
    const params = { name: value as never };
    expect(() => urlOf({ params })).toThrow(/name (?:has to be text|takes one value)/);
  });
});

describe('a body', () => {
  const send = (body: unknown) => compileRequest(document, 'write', { body });

  test('that fits its schema is sent unchanged, with unknown properties', () => {
    const body = { title: 't', inner: { title: 'u' }, broken: 1, future: [1], size: '9223372036854775807' };
    expect(send(body)).toMatchObject({ body: JSON.stringify(body) });
  });

  test.each([
    [{}, /\$\.title is required/],
    [{ title: 1 }, /\$\.title has to be text/],
    [{ title: 't', inner: { title: 't', inner: {} } }, /\$\.inner\.inner\.title is required/],
    [{ title: 't', size: '9223372036854775808' }, /\$\.size has to fit int64/],
    [{ title: 't', size: 'many' }, /\$\.size has to be an integer/],
    [{ title: 't', at: 'noon' }, /\$\.at has to be a time/],
    [{ title: 't', level: 2 ** 31 }, /\$\.level has to fit int32/],
    [{ title: 't', level: 0 }, /\$\.level has to be at least 1/],
    [[], /\$ has to be an object/],
  ])('%j is refused with its path', (body, message) => {
    expect(() => send(body)).toThrow(message);
  });
});

test('a document with only the deprecated fields works', () => {
  const { rootUrl: _rootUrl, ...rest } = document;
  const old = { ...rest, baseUrl: 'https://old.example/api/', basePath: '/api/' };
  expect(compileRequest(old, 'ping').url).toBe('https://old.example/api/ping');
  expect(compileRequest(old, 'ping', { rootUrl: 'https://new.example' }).url).toBe(
    'https://new.example/api/ping',
  );
});
