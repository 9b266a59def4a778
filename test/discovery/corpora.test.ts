import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileRequest } from '../../src/discovery/compile.ts';
import { asDescription, type RestDescription } from '../../src/discovery/description.ts';
import { methodsOf } from '../../src/discovery/methods.ts';
import type { ParameterValue } from '../../src/discovery/parameter-values.ts';
import { expandUriTemplate, type TemplateValue } from '../../src/discovery/uri-template.ts';

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
      const request = compileRequest(load(doc), methodId, { params });
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
