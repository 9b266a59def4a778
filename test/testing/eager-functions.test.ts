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
  expect(eager).toContain('\nfunction uncalled()');
  const { later, uncalled, ...values } = new Function(eager)();
  expect(values).toEqual({ first: 4, second: 3, text: 'method', value: 3 });
  expect([await later(), uncalled()]).toEqual(['later', 4]);
});

it('keeps imports first', () => {
  const code = `import { a } from './a.js';\nconsole.log(b());\nfunction b() { return a; }\n`;
  const start = code.indexOf('function');
  const eager = withEagerFunctions('code.js', code, new Map([[code.length - 1, start]]));
  expect(eager).toBe(
    `import { a } from './a.js';\nconst b = (function b() { return a; });\nconsole.log(b());\n\n`,
  );
});
