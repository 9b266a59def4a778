import { expect, it } from 'vitest';
import { withEagerFunctions } from '../../scripts/eager-functions.ts';

const INNER = 'function inner(value) { return value + 1; }';
const OUTER = `function outer(value) { return inner(value) * 2; ${INNER} }`;
const LATER = 'async function later() { return "later"; }';
const ARROW = '(value) => value - 1';
const CODE = `
const first = outer(1);
${OUTER}
${LATER}
const arrow = ${ARROW};
const methods = { text() { return "method"; }, get value() { return 3; } };
function uncalled() { return first; }
return { first, second: arrow(first), later, text: methods.text(), value: methods.value, uncalled };`;

it('puts called functions into parentheses, and leaves what the code does', async () => {
  // `begin` is where V8 reports an async function: after `async`.
  const called = new Map(
    [INNER, OUTER, LATER, ARROW, 'text() { return "method"; }', 'value() { return 3; }'].map((text) => {
      const start = CODE.indexOf(text);
      return [start + text.length, start + (text.startsWith('async ') ? 6 : 0)];
    }),
  );
  const eager = withEagerFunctions('code.js', CODE, called);
  expect(eager).toContain('const outer = (function outer(value) {\nconst inner = (function inner(value)');
  expect(eager).toContain('const later = (async function later()');
  expect(eager).toContain(`const arrow = (${ARROW});`);
  expect(eager).toContain('text: (function () { return "method"; }), get value() { return 3; }');
  expect(eager).toContain('\nfunction uncalled()');
  const { later, uncalled, ...values } = new Function(eager)();
  expect(values).toEqual({ first: 4, second: 3, text: 'method', value: 3 });
  expect([await later(), uncalled()]).toEqual(['later', 4]);
});

const BASE_TEXT = 'text() { return "base"; }';
const METHODS = {
  add: 'add(value) { return add(value, this.#one); }',
  later: 'async *later() { yield this.add(2); }',
  text: 'text() { return `over ${super.text()}`; }',
  hidden: '#hidden() { return 4; }',
  open: 'open() { return this.#hidden(); }',
};
const CLASSES = `
const add = (left, right) => left + right;
class Base { ${BASE_TEXT} }
class Over extends Base { #one = 1; ${Object.values(METHODS).join('\n')} }
const plain = { ${METHODS.later.replace('this.add(2)', '5')}, "with space"() { return 6; } };
return { Over, plain };`;

it('adds called methods to the prototype of their class, where they mean the same', async () => {
  const called = new Map(
    [BASE_TEXT, ...Object.values(METHODS), METHODS.later.replace('this.add(2)', '5'), '() { return 6; }'].map(
      (text) => {
        const start = CLASSES.indexOf(text);
        return [start + text.length, start];
      },
    ),
  );
  const eager = withEagerFunctions('code.js', CLASSES, called);
  expect(eager).toContain('static { for (const [name, value] of Object.entries({ add: (function (value)');
  expect(eager).toContain('later: (async function* () {');
  expect(eager).toContain('"with space": (function () {');
  for (const kept of [METHODS.text, METHODS.hidden]) expect(eager).toContain(kept);
  const { Over, plain } = new Function(eager)();
  const over = new Over();
  expect([over.add(1), over.text(), over.open(), plain['with space']()]).toEqual([2, 'over base', 4, 6]);
  expect((await over.later().next()).value).toBe(3);
  expect((await plain.later().next()).value).toBe(5);
  expect(over.add.name).toBe('add');
  expect(Object.keys(Over.prototype)).toEqual([]);
});

it('keeps imports first', () => {
  const code = `import { a } from './a.js';\nconsole.log(b());\nfunction b() { return a; }\n`;
  const start = code.indexOf('function');
  const eager = withEagerFunctions('code.js', code, new Map([[code.length - 1, start]]));
  expect(eager).toBe(
    `import { a } from './a.js';\nconst b = (function b() { return a; });\nconsole.log(b());\n\n`,
  );
});
