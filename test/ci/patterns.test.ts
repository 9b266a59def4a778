import { describe, expect, it } from 'vitest';
import { documentPatterns, patternsOf } from '../../scripts/patterns/collect.ts';
import { slowPatterns } from '../../scripts/patterns/growth.ts';

const check = (expression: RegExp) =>
  slowPatterns([{ place: 'a.ts:1', pattern: expression.source, flags: expression.flags }]);

// What decides is CPU time, which a busy machine gives slowly.
describe('slowPatterns', () => {
  it.each([
    ['a run before the end', /\/+$/],
    ['the rest of one line', /\?.*$/],
    ['a run in a search for several', /^\/+|\/+$/g],
    ['two runs of the same character', /^(\d+)\.?\d*$/],
    ['a run before a separator', /\s+@\s+/g],
    ['brackets that do not close', /\s*\[[^\]]*\]$/],
    ['quotes that do not close', /"((?:[^"\\]|\\.)*)"|([^\s,"]+)/g],
    ['lines and spaces', /^\s*min-release-age\s*=\s*(\d+)\s*$/m],
    ['lines that end with a carriage return', /^[^\s@:][^\n@]*@[^\n]*:\r?\n {2}version "/m],
    ['a word that repeats in what precedes it', /^https:\/\/[^/]*gitlab[^/]*\/api$/],
    ['a word after anything', /repository .*not found/],
    ['a part that can be empty', /^([A-Za-z][A-Za-z0-9-]*)\s*:\s*(.*)$/],
    ['five runs', /([[(])\s*([^,[\]()]*?)\s*(?:(,)\s*([^,[\]()]*?)\s*)?([\])])/y],
    ['exponential time', /^(?:a+)+$/],
    ['exponential time by alternatives', /^(?:a|[^b])*$/],
  ])('finds %s', (_what, expression) => {
    const [found] = check(expression);
    expect(found?.places).toEqual(['a.ts:1']);
    expect(found?.text.growth).toBeGreaterThan(8);
  });

  it.each([
    [/(?<!\/)\/+$/],
    [/\?.*$/s],
    [/^[\w.-]{1,200}$/],
    [/^(?:\d+(?:\.\d*)?|\.\d+)$/],
    [/(?<!\s)\s+@\s+/g],
    [/"((?:[^"\\]|\\.)*)"?|([^\s,"]+)/g],
    [/^(?<host>[^@]+)\/(?<name>(?:@[^/@]+\/)?[^/@]+)@(?<reference>\d+\.\d+\.\d[^/]*)$/],
    [/^\p{L}+\p{N}+$/u],
  ])('accepts %s', (expression) => {
    expect(check(expression)).toEqual([]);
  });
});

describe('patternsOf', () => {
  it('finds literals, calls and constructions, with their lines', () => {
    const text = "const a = /x+$/;\nb.split(/,\\s*/);\nnew RegExp('a+', 'i');\nRegExp(a.source);\n";
    expect(patternsOf('a.ts', text)).toEqual({
      found: [
        { place: 'a.ts:1', pattern: 'x+$', flags: '' },
        { place: 'a.ts:2', pattern: ',\\s*', flags: 'g' },
        { place: 'a.ts:3', pattern: 'a+', flags: 'i' },
      ],
      built: [{ file: 'a.ts', place: 'a.ts:4' }],
    });
  });

  it('finds the patterns of documents', () => {
    const document = { parameters: { a: { pattern: '^a+$' } }, items: [{ pattern: 'b' }] };
    expect(documentPatterns('a.json', document).map(({ pattern }) => pattern)).toEqual(['^a+$', 'b']);
  });
});
