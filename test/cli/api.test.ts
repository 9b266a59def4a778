import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'cli-api-'));
afterAll(() => rmSync(folder, { recursive: true }));

const apis = resolve(import.meta.dirname, '../../apis');

function write(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

type Tree = Record<string, unknown>;

/** The bundled insights document, changed. */
function insights(change: (document: Tree) => void): Tree {
  const document = JSON.parse(readFileSync(join(apis, 'insights.v3alpha.json'), 'utf8'));
  change(document);
  return document;
}

describe('lockhound api url', () => {
  it('accepts values in the order of the signature, or parameters by name', async () => {
    const url = 'GET https://api.deps.dev/v3alpha/systems/NPM/packages/%40types%2Fnode\n';
    expect(await lockhound(['api', 'url', 'insights', 'insights.getPackage', 'NPM', '@types/node'])).toEqual({
      code: 0,
      out: url,
      note: '',
    });
    const params = '{"packageKey.system": "NPM", "packageKey.name": "@types/node"}';
    const file = `@${write('params.json', params)}`;
    for (const given of [params, file, '-']) {
      const args = ['api', 'url', 'insights:v3alpha', 'insights.getPackage', '--params', given];
      expect((await lockhound(args, params)).out).toBe(url);
    }
  });

  it('accepts a file, another root URL and a flat path', async () => {
    const document = {
      kind: 'discovery#restDescription',
      rootUrl: 'https://sample.example/',
      methods: {
        get: {
          id: 'get',
          httpMethod: 'GET',
          path: 'v1/{+name}:read',
          flatPath: 'v1/shelves/{shelvesId}/books/{booksId}:read',
          parameters: {
            name: { type: 'string', location: 'path', required: true },
            day: { type: 'string', format: 'date' },
          },
        },
      },
    };
    const file = write('sample.json', document);
    const flat = [
      '--flat',
      '--params',
      '{"shelvesId": "a/b", "booksId": 2}',
      '--root-url',
      'http://127.0.0.1:1/p',
    ];
    expect((await lockhound(['api', 'url', file, 'get', ...flat])).out).toBe(
      'GET http://127.0.0.1:1/p/v1/shelves/a%2Fb/books/2:read\n',
    );
    const day = ['--params', '{"name": "x", "day": "soon"}'];
    expect((await lockhound(['api', 'url', file, 'get', ...day, '--lenient'])).out).toContain('?day=soon');
    const line = JSON.stringify({ doc: file, methodId: 'get', params: { name: 'x', day: 'soon' } });
    expect((await lockhound(['api', 'url', '--batch'], line)).out).toContain('?day=soon');
    expect((await lockhound(['api', 'url', '--batch', '--strict'], line)).out).toContain(
      'day has to be a date',
    );
    const strict = await lockhound(['api', 'url', file, 'get', ...day]);
    expect(strict).toMatchObject({
      code: 2,
      out: '',
      note: expect.stringMatching(/day has to be a date.*invalid-parameter/),
    });
  });

  it('uses the endpoint of a location', async () => {
    const endpoints = [{ location: 'europe', endpointUrl: 'https://europe.sample.example/' }];
    const file = write(
      'located.json',
      insights((document) => Object.assign(document, { endpoints })),
    );
    const args = ['api', 'url', file, 'insights.getPackage', 'NPM', 'ms', '--endpoint'];
    expect((await lockhound([...args, 'europe'])).out).toContain(
      'GET https://europe.sample.example/v3alpha/',
    );
    expect((await lockhound([...args, 'asia'])).note).toMatch(/no endpoint for "asia"; it has europe/);
  });

  it('--batch prints a result or an error for every line and exits with 2', async () => {
    write('broken.json', '{');
    const lines = [
      '{"doc":"insights","methodId":"insights.getPackage","params":{"packageKey.system":"NPM","packageKey.name":"a b"}}',
      'no json',
      '{"doc":"insights","methodId":"insights.nope"}',
      '',
      '{"doc":"nowhere.json","methodId":"x"}',
      '{"doc":"broken.json","methodId":"x"}',
      '{"doc":"insights","methodId":"insights.getPackage","params":{"packageKey.system":"COBOL","packageKey.name":"a"}}',
      '{"doc":"insights","methodId":"insights.getPackage","params":{"packageKey.system":{},"packageKey.name":"a"}}',
      '{"doc":"insights","methodId":"insights.getPackage","params":[]}',
      '{"doc":"sample.json","methodId":"get","params":{"name":"x"}}',
      '[]',
    ];
    const { code, out, note } = await lockhound(
      ['api', 'url', '--batch', '--base', folder],
      lines.join('\n'),
    );
    expect({ code, note }).toEqual({ code: 2, note: '' });
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ error, url }) => error?.code ?? url)).toEqual([
      'https://api.deps.dev/v3alpha/systems/NPM/packages/a%20b',
      'invalid-input',
      'unknown-method',
      'document-not-found',
      'invalid-document',
      'invalid-parameter',
      'invalid-parameter',
      'invalid-input',
      'https://sample.example/v1/x:read',
      'invalid-input',
    ]);
    expect(answers[0]).toEqual({ method: 'GET', url: answers[0].url });
  });

  it.each([
    [['api', 'url', 'insights'], '', /name a document and a method/],
    [['api', 'url', 'insights', 'insights.getPackage', 'NPM'], '', /packageKey\.name is required/],
    [
      ['api', 'url', 'insights', 'insights.getPackage', 'NPM', 'a', 'b'],
      '',
      /takes 2 values in order \(packageKey/,
    ],
    [['api', 'url', 'insights', 'insights.getPackage', '--params', '{'], '', /--params is not JSON/],
    [['api', 'url', 'no-such', 'x'], '', /no such file.*insights, webhooks, discovery.*--directory/],
  ])('reports the fault: %j', async (args, input, message) => {
    expect(await lockhound(args, input)).toMatchObject({
      code: 2,
      out: '',
      note: expect.stringMatching(message),
    });
  });
});

const corpora = process.env['LOCKHOUND_CORPORA'] ?? resolve(import.meta.dirname, '../../../shared/corpora');

describe.skipIf(!existsSync(join(corpora, 'discovery')))('documents of others', () => {
  it('are valid, and the URLs of their calls are as recorded', async () => {
    const documents = join(corpora, 'discovery/documents');
    const validated = await lockhound(['api', 'validate', documents]);
    expect(validated.code).toBe(0);
    expect(
      validated.out
        .trim()
        .split('\n')
        .every((line) => line.startsWith('valid')),
    ).toBe(true);
    const lines = readFileSync(join(corpora, 'discovery/urls.jsonl'), 'utf8').trim();
    const { code, out } = await lockhound(['api', 'url', '--batch', '--base', documents], `${lines}\n`);
    expect(code).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(lines.split('\n').length);
  });
});

describe('lockhound api url --batch', () => {
  it.each([
    [['insights', 'insights.getPackage'], /remove the arguments/],
    [['--params', '{}'], /'--batch' cannot be used with option '--params/],
    [['--root-url', 'http://127.0.0.1'], /cannot be used with option '--root-url/],
  ])('refuses options that lines contain: %j', async (more, expected) => {
    const { code, out, note } = await lockhound(['api', 'url', '--batch', ...more], '{}');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(note).toMatch(expected);
  });
});

it('distinguishes a missing file from one that is not JSON', async () => {
  const args = ['api', 'url', 'insights', 'insights.getPackage', '--params'];
  const absent = await lockhound([...args, `@${join(folder, 'absent.json')}`]);
  expect(absent).toMatchObject({
    code: 2,
    note: expect.stringMatching(/--params cannot be read: .*no such file/),
  });
  const broken = await lockhound([...args, '{bad']);
  expect(broken).toMatchObject({ code: 2, note: expect.stringMatching(/--params is not JSON: /) });
});

describe('lockhound api validate', () => {
  it('fails for a folder without documents', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    expect(await lockhound(['api', 'validate', empty])).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^invalid .* \$ is a folder without \.json files\n$/),
    });
    expect((await lockhound(['api', 'validate', apis])).code).toBe(0);
  });

  it('prints a line for each file and exits with 2 when one is not valid', async () => {
    const good = join(apis, 'webhooks.v1.json');
    const bad = write(
      'bad.json',
      insights((document) => Object.assign(document, { labels: 5, schemas: [], future: 1 })),
    );
    const none = write('none.json', 'no json');
    expect(await lockhound(['api', 'validate', good])).toEqual({
      code: 0,
      out: expect.stringMatching(/^valid .*webhooks\.v1\.json {2}webhooks:v1: 8 methods, \d+ schemas\n$/),
      note: '',
    });
    const { code, out } = await lockhound(['api', 'validate', good, bad, none, join(folder, 'absent.json')]);
    expect(code).toBe(2);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(
      /^invalid {2}.*bad\.json {2}.*\$\.labels has to be a list; \$\.schemas has to be an object/,
    );
    expect(lines[2]).toMatch(/^invalid .*none\.json {2}\$ is not JSON/);
    expect(lines[3]).toMatch(/^invalid .*absent\.json {2}\$ .*no such file/);
  });

  it('--json lists every problem with its path', async () => {
    const bad = write('bad.json', {
      kind: 'discovery#restDescription',
      rootUrl: 'https://x/',
      methods: { a: { path: 'a' } },
    });
    const { code, out } = await lockhound(['api', 'validate', '--json', bad]);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      file: bad,
      valid: false,
      problems: [
        { severity: 'error', path: '$.methods.a.httpMethod', message: 'is missing' },
        { severity: 'warning', path: '$.methods.a.id' },
      ],
    });
  });
});

describe('lockhound api show', () => {
  it('lists methods with their parameters and the location of each', async () => {
    const { code, out } = await lockhound(['api', 'show', 'insights']);
    expect(code).toBe(0);
    expect(out).toMatch(/^id +insights:v3alpha\ntitle +Package Insights API\n/);
    expect(out).toMatch(/base url +https:\/\/api\.deps\.dev\/\n/);
    expect(out).toMatch(/insights\.purlLookupBatch\n +http method +POST\n +path +v3alpha\/purlbatch\n/);
    expect(out).toMatch(/packageKey\.system +(?:required, location path|yes +path)/);
  });

  it('shows one method in full, and as JSON', async () => {
    const { out } = await lockhound(['api', 'show', 'insights', 'insights.getVersion']);
    expect(out).toMatch(/response schema \(\d+\)\n[\s\S]* versionKey +(?:type )?VersionKey/);
    const json = await lockhound(['api', 'show', 'webhooks', '--json']);
    expect(JSON.parse(json.out).methods).toHaveLength(8);
    expect((await lockhound(['api', 'show', 'insights', 'insights.nope'])).code).toBe(2);
  });

  it('shows required properties and allowed values of the body', async () => {
    const { out } = await lockhound(['api', 'show', 'webhooks', 'webhooks.definitions.create']);
    expect(out).toMatch(/^ +encode_as +string +json +json, form +How/m);
    expect(out).toMatch(/^ +url +string +webhooks\.definitions\.create +Address/m);
    const json = await lockhound(['api', 'show', 'webhooks', 'webhooks.definitions.create', '--json']);
    const lines: { name: string }[] = JSON.parse(json.out).requestSchema;
    expect(lines.find(({ name }) => name === 'url')).toMatchObject({
      requiredBy: ['webhooks.definitions.create'],
      enum: [],
    });
    expect(lines.find(({ name }) => name === 'encode_as')).toMatchObject({
      requiredBy: [],
      default: 'json',
      enum: [
        { value: 'json', description: 'As JSON.', deprecated: false },
        { value: 'form', description: 'URL-encoded.', deprecated: false },
      ],
    });
  });

  it('shows support for media downloads and subscriptions, and the methods that require a field', async () => {
    const file = write(
      'media.json',
      insights((document) => {
        document['schemas'] = {
          Note: {
            id: 'Note',
            type: 'object',
            properties: { text: { type: 'string', annotations: { required: ['a.put', 'a.send'] } } },
          },
        };
        const common = { httpMethod: 'POST', path: 'x', request: { $ref: 'Note' } };
        document['methods'] = {
          send: { ...common, id: 'a.send', supportsMediaDownload: true, supportsSubscription: true },
          plain: { ...common, id: 'a.plain', supportsMediaDownload: false },
        };
      }),
    );
    const send = await lockhound(['api', 'show', file, 'a.send']);
    expect(send.out).toMatch(/supports media download +yes\nsupports subscription +yes\n/);
    expect(send.out).toMatch(/ text +string +a\.put, a\.send\n/);
    const plain = await lockhound(['api', 'show', file, 'a.plain']);
    expect(plain.out).toMatch(/supports media download +no\nsupports subscription +no\n/);
    const json = await lockhound(['api', 'show', file, 'a.send', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ supportsMediaDownload: true, supportsSubscription: true });
  });

  it('shows scopes with what they allow', async () => {
    const scope = 'https://sample.example/auth/read';
    const file = write(
      'scoped.json',
      insights((document) => {
        document['auth'] = { oauth2: { scopes: { [scope]: { description: 'See it all' } } } };
        document['methods'] = { ping: { id: 'ping', httpMethod: 'GET', path: 'ping', scopes: [scope] } };
      }),
    );
    expect((await lockhound(['api', 'show', file, 'ping'])).out).toContain(`${scope}  See it all`);
  });
});

describe('lockhound api diff', () => {
  it('exits with 1 exactly when something breaks', async () => {
    const looser = write(
      'looser.json',
      insights((document) => Object.assign(document['schemas'] as Tree, { New: {} })),
    );
    expect(await lockhound(['api', 'diff', 'insights', 'insights'])).toEqual({
      code: 0,
      out: expect.stringMatching(/^breaking +no\ndifferences +none\n/),
      note: '',
    });
    expect(await lockhound(['api', 'diff', 'insights', looser])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^breaking +no\n[\s\S]* compatible +1\n[\s\S]*\$\.schemas\.New/),
    });
    const { code, out } = await lockhound(['api', 'diff', looser, 'insights', '--json']);
    expect({ code, report: JSON.parse(out) }).toMatchObject({ code: 0, report: { breaking: false } });
    const narrower = write(
      'narrower.json',
      insights(
        (document) =>
          delete ((document['schemas'] as Tree)['Version'] as { properties: Tree }).properties['licenses'],
      ),
    );
    const broken = await lockhound(['api', 'diff', 'insights', narrower, '--json']);
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.out)).toMatchObject({
      breaking: true,
      counts: { breaking: 1 },
      differences: [
        { class: 'breaking', kind: 'property-removed', path: '$.schemas.Version.properties.licenses' },
      ],
    });
    expect((await lockhound(['api', 'diff', 'insights', join(folder, 'absent.json')])).code).toBe(2);
  });
});
