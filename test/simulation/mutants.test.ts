import { describe, expect, it } from 'vitest';
import { FORMER_FAULTS, plantedBy } from '../../simulation/mutate/former-faults.ts';
import { type MutantKind, replaceIn } from '../../simulation/mutate/mutant.ts';
import { mutantsIn } from '../../simulation/mutate/mutants.ts';
import { markAt, markedIn } from '../../simulation/mutate/script-mutants.ts';
import { selectMutants } from '../../simulation/mutate/select.ts';
import { createRandom } from '../../simulation/random.ts';

/** The sources with one mutant of a kind each. */
function mutated(text: string, kind: MutantKind): readonly string[] {
  return mutantsIn('a.ts', text)
    .filter((mutant) => mutant.kind === kind)
    .map((mutant) => replaceIn(text, mutant));
}

const inFunction = (body: string): string => `async function f() { ${body} }`;

describe('mutants of TypeScript', () => {
  it('do not wait for a statement', () => {
    expect(mutated(inFunction('await save(); return await read();'), 'await')).toEqual([
      inFunction('save(); return await read();'),
    ]);
  });

  it('leave out a call, but none that only reports', () => {
    expect(mutated(inFunction('await save(); log.info({}); a.log.warn(1); x = 1;'), 'effect')).toEqual([
      inFunction('; log.info({}); a.log.warn(1); x = 1;'),
    ]);
  });

  it('swap statements, unless the second one needs the first', () => {
    expect(mutated(inFunction('a(); b();'), 'swap')).toEqual([inFunction('b(); a();')]);
    expect(mutated(inFunction('const { a } = await read(); use(a);'), 'swap')).toEqual([]);
    expect(mutated(inFunction('if (a) return 1; if (b) throw c;'), 'swap')).toEqual([]);
    expect(mutated(inFunction('const a = await read(); other();'), 'swap')).toEqual([
      inFunction('other(); const a = await read();'),
    ]);
  });

  it('take one branch always', () => {
    expect(mutated('if (a) b();', 'condition')).toEqual(['if (true) b();', 'if (false) b();']);
    expect(mutated('c = a ? 1 : 2;', 'condition')).toEqual(['c = true ? 1 : 2;', 'c = false ? 1 : 2;']);
  });

  it('skip one of two comparisons', () => {
    expect(mutated('c = a && b(1);', 'condition')).toEqual(['c = (a);', 'c = (b(1));']);
    expect(mutated('c = a ?? b;', 'condition')).toEqual([]);
  });

  it('change nothing that a job writes to the log', () => {
    expect(mutated('job = { log: (a) => ({ facts: a ? 1 : 2 }), run: (a) => a < 1 };', 'condition')).toEqual(
      [],
    );
  });

  it('are none that changes nothing', () => {
    expect(mutated('if (a) throw new RangeError(b);', 'condition')).toEqual([
      'if (true) throw new RangeError(b);',
    ]);
    expect(mutated('time - a > LIMIT_MS; a + 1 < b;', 'bound')).toEqual(['time - a > LIMIT_MS; a < b;']);
    const checks = 'const a = await store.find(b); if (b) { c(); return; }';
    expect(mutated(inFunction(checks), 'swap')).toEqual([]);
  });

  it('move a bound by one', () => {
    expect(mutated('a < b', 'bound')).toEqual(['a <= b']);
    expect(mutated('a >= b', 'bound')).toEqual(['a > b']);
    expect(mutated('a + 1', 'bound')).toEqual(['a']);
  });
});

describe('mutants of a script of Redis', () => {
  const scriptOf = (...lines: readonly string[]): string => `const S = \`\n${lines.join('\n')}\n\`;`;
  const script = scriptOf(
    'if count <= 1 then',
    "  redis.call('DEL', KEYS[1])",
    "  redis.call('INCR', KEYS[1])",
    "  redis.call('HLEN', KEYS[2])",
    'end',
  );

  const first = ['if count <= 1 then', "  redis.call('DEL', KEYS[1])", "  redis.call('INCR', KEYS[1])"];
  const last = ["  redis.call('HLEN', KEYS[2])", 'end'];

  it('leave out commands', () => {
    expect(mutated(script, 'effect')).toEqual([
      scriptOf(first[0] ?? '', '  ', first[2] ?? '', ...last),
      scriptOf(first[0] ?? '', first[1] ?? '', '  ', ...last),
      scriptOf(...first, '  ', 'end'),
    ]);
  });

  it('are planted in lines that have run, which say so in the log of Redis', () => {
    const places = new Set(mutantsIn('a.ts', script).flatMap(({ mark }) => mark ?? []));
    const marked = Array.from(places, (at) => replaceIn(script, markAt('a.ts', at)));
    const mark = (line: string) =>
      script.replace(
        line,
        (text) => `redis.log(redis.LOG_WARNING, 'reached a.ts:${script.indexOf(line)}') ${text}`,
      );
    expect(marked).toEqual([...first, ...last.slice(0, 1)].map(mark));
    expect(markedIn('1:M # <lua> reached a.ts:5\n<lua> reached b.ts:12')).toEqual(['a.ts:5', 'b.ts:12']);
  });

  it('leave out assignments, and use other keys', () => {
    const text = scriptOf('local a = 1', "  a = redis.call('GET', KEYS[1])", "redis.call('DEL', KEYS[2])");
    expect(mutated(text, 'effect')[0]).toBe(scriptOf('local a = 1', '  ', "redis.call('DEL', KEYS[2])"));
    expect(mutated(text, 'key')).toEqual([
      text.replace('KEYS[1]', 'KEYS[2]'),
      text.replace('KEYS[2]', 'KEYS[1]'),
    ]);
    expect(mutated(text.replaceAll('KEYS[2]', 'KEYS[1]'), 'key')).toEqual([]);
  });

  it('swap commands on one key', () => {
    expect(mutated(script, 'swap')).toEqual([
      scriptOf(first[0] ?? '', first[2] ?? '', first[1] ?? '', ...last),
    ]);
  });

  it('take one branch always, and move a bound by one', () => {
    const withCondition = (condition: string): string =>
      scriptOf(`if ${condition} then`, ...first.slice(1), ...last);
    expect(mutated(script, 'condition')).toEqual([withCondition('true'), withCondition('false')]);
    expect(mutated(script, 'bound')).toEqual([withCondition('count < 1')]);
  });
});

it('selects as many of each kind, the same for a seed', () => {
  const all = mutantsIn('a.ts', inFunction('await a(); if (x < 1) b(); await c(); if (y > 2) d(); e();'));
  const selected = selectMutants(all, 5, createRandom(1));
  expect(selected.map(({ kind }) => kind)).toEqual(['await', 'swap', 'condition', 'effect', 'bound']);
  expect(selectMutants(all, 5, createRandom(1))).toEqual(selected);
  expect(selectMutants(all, 1_000, createRandom(1))).toHaveLength(all.length);
});

it.each(FORMER_FAULTS.map((fault) => [fault.name, fault] as const))(
  'the sources have the place of the former fault %s',
  (_, fault) => {
    expect(plantedBy(fault)).not.toEqual([]);
  },
);

it('a former fault whose place has moved is an error', () => {
  const changes = [{ file: 'src/jobs/catalog.ts', now: 'this text is not there', former: '' }];
  expect(() => plantedBy({ name: 'moved', what: '', changes })).toThrow('must occur once');
});
