import { describe, expect, it } from 'vitest';
import { FORMER_FAULTS, plantedBy } from '../../simulation/mutate/former-faults.ts';
import { type MutantKind, replaceIn } from '../../simulation/mutate/mutant.ts';
import { mutantsIn } from '../../simulation/mutate/mutants.ts';
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
    expect(mutated(inFunction('const a = await read(); other();'), 'swap')).toEqual([
      inFunction('other(); const a = await read();'),
    ]);
  });

  it('take one branch always', () => {
    expect(mutated('if (a) b();', 'condition')).toEqual(['if (true) b();', 'if (false) b();']);
    expect(mutated('c = a ? 1 : 2;', 'condition')).toEqual(['c = true ? 1 : 2;', 'c = false ? 1 : 2;']);
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
    "  redis.call('INCR', KEYS[2])",
    'end',
  );

  it.each<[MutantKind, readonly string[][]]>([
    [
      'effect',
      [
        ['if count <= 1 then', '  ', "  redis.call('INCR', KEYS[2])", 'end'],
        ['if count <= 1 then', "  redis.call('DEL', KEYS[1])", '  ', 'end'],
      ],
    ],
    [
      'swap',
      [['if count <= 1 then', "  redis.call('INCR', KEYS[2])", "  redis.call('DEL', KEYS[1])", 'end']],
    ],
    [
      'condition',
      ['true', 'false'].map((value) => [
        `if ${value} then`,
        "  redis.call('DEL', KEYS[1])",
        "  redis.call('INCR', KEYS[2])",
        'end',
      ]),
    ],
    [
      'bound',
      [['if count < 1 then', "  redis.call('DEL', KEYS[1])", "  redis.call('INCR', KEYS[2])", 'end']],
    ],
  ])('%s', (kind, expected) => {
    expect(mutated(script, kind)).toEqual(expected.map((lines) => scriptOf(...lines)));
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
