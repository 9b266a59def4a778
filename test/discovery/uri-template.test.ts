import { expect, test } from 'vitest';
import {
  expandUriTemplate,
  type TemplateValue,
  templateVariables,
} from '../../src/discovery/request/uri-template.ts';

const values: Record<string, TemplateValue> = {
  name: 'a/b c',
  dotted: 'x',
  'key.part': 'p@q',
  list: ['red', 'größe'],
  pairs: { first: '1', second: '2,3' },
  empty: '',
  none: [],
  number: 7,
};

test.each([
  ['plain', 'plain'],
  ['{name}', 'a%2Fb%20c'],
  ['{+name}', 'a/b%20c'],
  ['{key.part}:verb', 'p%40q:verb'],
  ['{name:3}', 'a%2Fb'],
  ['{list}', 'red,gr%C3%B6%C3%9Fe'],
  ['{/list*}', '/red/gr%C3%B6%C3%9Fe'],
  ['{?list*,empty,absent}', '?list=red&list=gr%C3%B6%C3%9Fe&empty='],
  ['{;empty,number}', ';empty;number=7'],
  ['{pairs}', 'first,1,second,2%2C3'],
  ['{?pairs*}', '?first=1&second=2%2C3'],
  ['{.dotted,number}', '.x.7'],
  ['{#name}', '#a/b%20c'],
  ['x{?none,absent}', 'x'],
])('%s is %s', (template, expected) => {
  expect(expandUriTemplate(template, (name) => values[name])).toBe(expected);
});

test.each([
  '{',
  '}',
  '{}',
  '{a',
  'a}',
  '{a{b}}',
  '{!a}',
  '{a:0}',
  '{a:10000}',
  '{a*:3}',
  '{a b}',
  '{list:2}',
])('%s is refused', (template) => {
  expect(() => expandUriTemplate(template, (name) => values[name])).toThrow(/^URI template/);
});

test('variables are listed in order', () => {
  expect(templateVariables('a/{b}/{+c.d}{?e,f*}')).toEqual(['b', 'c.d', 'e', 'f']);
});
