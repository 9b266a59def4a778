import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { asDescription, type RestDescription } from '../../src/discovery/description/description.ts';
import { findMethod, methodsOf } from '../../src/discovery/description/methods.ts';
import { compileRequest } from '../../src/discovery/request/compile.ts';
import type { ParameterValue } from '../../src/discovery/request/parameter-values.ts';
import { checkAgainstSchema } from '../../src/discovery/request/schema-check.ts';
import { expandUriTemplate, type TemplateValue } from '../../src/discovery/request/uri-template.ts';

const corpora =
  process.env['LOCKHOUND_CORPORA'] ?? path.resolve(import.meta.dirname, '../../../shared/corpora');

describe.skipIf(!existsSync(path.join(corpora, 'discovery')))('description documents of others', () => {
  const folder = path.join(corpora, 'discovery/documents');
  const documents = new Map<string, RestDescription>();
  const load = (name: string) => {
    const known = documents.get(name);
    if (known !== undefined) return known;
    const document = asDescription(JSON.parse(readFileSync(path.join(folder, name), 'utf8')), name);
    documents.set(name, document);
    return document;
  };

  test('all load, and have methods', () => {
    const names = readdirSync(folder);
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) expect(methodsOf(load(name)).length, name).toBeGreaterThan(0);
  });

  test('every recorded call gets its URL', () => {
    const lines = readFileSync(path.join(corpora, 'discovery/urls.jsonl'), 'utf8').trim().split('\n');
    expect(lines.length).toBeGreaterThan(600);
    for (const line of lines) {
      const { doc, methodId, httpMethod, params, expectedUrl }: RecordedCall = JSON.parse(line);
      // Made up by a program that filled in any text.
      const request = compileRequest(load(doc), methodId, { params, lenient: true });
      expect(request.method).toBe(httpMethod);
      expect(inQueryOrder(request.url), methodId).toBe(inQueryOrder(expectedUrl));
    }
  });
});

interface RecordedCall {
  readonly doc: string;
  readonly methodId: string;
  readonly httpMethod: string;
  readonly params: Record<string, ParameterValue>;
  readonly expectedUrl: string;
}

function inQueryOrder(url: string): string {
  const [base, query = ''] = url.split('?');
  return `${base}?${query.split('&').sort().join('&')}`;
}

const exchanges = path.join(corpora, 'webhooks/exchanges.jsonl');

describe.skipIf(!existsSync(exchanges))('recorded exchanges of the webhook-integration API', () => {
  test('are described by our document: paths, requests and answers', async () => {
    const document = await readBundledDescription('webhooks.v1');
    const kinds = {
      webhooks: ['definitions', 'webhook_name'],
      'custom-variables': ['customVariables', 'custom_variable_name'],
    };
    const verbs = { POST: 'create', GET: 'get', PUT: 'update', DELETE: 'delete' };
    for (const line of readFileSync(exchanges, 'utf8').trim().split('\n')) {
      const exchange: Exchange = JSON.parse(line);
      const [kind, name] = exchange.path.split('/').slice(6) as [keyof typeof kinds, string?];
      const [resource, parameter = ''] = kinds[kind];
      const method = findMethod(document, `webhooks.${resource}.${verbs[exchange.method]}`);
      const params = name === undefined ? {} : { [parameter]: name };
      const request = compileRequest(document, method.id, { params, rootUrl: 'http://local' });
      expect(request).toMatchObject({ method: exchange.method, url: `http://local${exchange.path}` });
      const problems = (schema: string | undefined, json: string | null) =>
        schema === undefined || json === null
          ? []
          : checkAgainstSchema(document, schema, JSON.parse(json), method.id);
      expect(problems(method.request, exchange.reqBody)).toEqual([]);
      const answer = exchange.status < 300 ? method.response : 'ApiErrorResponse';
      expect(problems(answer, exchange.resBody)).toEqual([]);
    }
  });
});

interface Exchange {
  readonly method: 'POST' | 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly status: number;
  readonly reqBody: string | null;
  readonly resBody: string;
}

const answers = path.join(corpora, 'insights');

describe.skipIf(!existsSync(answers))('recorded answers of the package-insights API', () => {
  const schemaOf = (answer: object) => {
    if ('advisoryKey' in answer) return 'Advisory';
    if ('licenses' in answer) return 'Version';
    if ('nodes' in answer) return 'Dependencies';
    if ('dependentCount' in answer) return 'Dependents';
    if ('packageKey' in answer) return 'Package';
    if ('projectKey' in answer) return 'Project';
    if ('responses' in answer) return 'PurlLookupBatchResult';
    return 'Requirements';
  };
  const names = existsSync(answers) ? readdirSync(answers).filter((name) => name.endsWith('.json')) : [];

  test.each(names)('%s fits its schema', async (name) => {
    const document = await readBundledDescription('insights.v3alpha');
    const answer = JSON.parse(readFileSync(path.join(answers, name), 'utf8'));
    expect(checkAgainstSchema(document, schemaOf(answer), answer)).toEqual([]);
    const known = document.schemas?.[schemaOf(answer)]?.properties ?? {};
    expect(Object.keys(answer).filter((key) => !Object.hasOwn(known, key))).toEqual([]);
  });
});

const templates = path.join(corpora, 'uritemplate');

describe.skipIf(!existsSync(templates))('the RFC 6570 suites', () => {
  for (const file of existsSync(templates)
    ? readdirSync(templates).filter((name) => name.endsWith('.json'))
    : []) {
    const suites: Record<string, Suite> = JSON.parse(readFileSync(path.join(templates, file), 'utf8'));
    for (const [name, { variables, testcases }] of Object.entries(suites)) {
      test.each(testcases)(`${file}: ${name}: %s`, (template, expected) => {
        const expand = () => expandUriTemplate(template, (variable) => variables[variable]);
        if (expected === false) expect(expand).toThrow(/URI template/);
        else expect(Array.isArray(expected) ? expected : [expected]).toContain(expand());
      });
    }
  }
});

interface Suite {
  readonly variables: Record<string, TemplateValue>;
  readonly testcases: [template: string, expected: string | string[] | false][];
}
