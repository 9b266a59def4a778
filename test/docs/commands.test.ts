import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/catalog.ts';
import { lockhound } from '../cli/lockhound.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

interface Example {
  readonly place: string;
  readonly words: readonly string[];
}

/** The command lines of `lockhound` in the shell blocks of the documentation. */
const EXAMPLES: readonly Example[] = PAGES.flatMap((page) => {
  const blocks = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)];
  return blocks.flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap((line) => {
        const [, text] = /(?:npx |^)lockhound ((?:'[^']*'|"[^"]*"|[^#;|&>'"])+)/.exec(line) ?? [];
        return text === undefined ? [] : [{ place: `${page}: ${text.trim()}`, words: wordsOf(text) }];
      }),
  );
});

function wordsOf(text: string): readonly string[] {
  return (text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ''));
}

/** What is wrong with a command line by the declaration of its command; `undefined` when it is valid. */
async function faultOf([name = '', ...words]: readonly string[]): Promise<string | undefined> {
  if (name.startsWith('-') || name === 'complete') return undefined;
  const entry = COMMANDS.find((one) => one.name === name);
  if (entry === undefined) return `there is no command ${name}`;
  let command = new Command(name);
  const terminal = {
    out: () => {},
    note: () => {},
    colour: false,
    interactive: false,
    width: 80,
    noteWidth: 80,
  };
  (await entry.load())(command, { terminal, exit: () => {} });
  const rest = [...words];
  for (let [next] = rest; command.commands.length > 0 && next !== undefined; [next] = rest) {
    const inner = command.commands.find((one) => one.name() === next || one.aliases().includes(next ?? ''));
    if (inner === undefined) break;
    command = inner;
    rest.shift();
  }
  return faultIn(command, rest);
}

/** The same for the words after the name of the command. */
function faultIn(command: Command, words: readonly string[]): string | undefined {
  const rest = [...words];
  const operands: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    const [flag = ''] = word.split('=');
    if (flag === '--help' || flag === '-h') return undefined;
    const option = command.options.find(({ long, short }) => long === flag || short === flag);
    if (option === undefined) return `${command.name()} has no option ${flag}`;
    if ((option.required || option.optional) && !word.includes('=')) rest.shift();
  }
  const wanted = command.registeredArguments;
  if (operands.length < wanted.filter(({ required }) => required).length) return 'an argument is missing';
  if (wanted.at(-1)?.variadic === true || operands.length <= wanted.length) return undefined;
  return `too many arguments: ${operands.join(' ')}`;
}

describe('the command lines in the documentation', () => {
  it('are found', () => {
    expect(EXAMPLES.length).toBeGreaterThan(40);
  });

  it('fit the declarations of their commands', async () => {
    const faults: string[] = [];
    for (const { place, words } of EXAMPLES) {
      const fault = await faultOf(words);
      if (fault !== undefined) faults.push(`${place}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  it('run, where they need neither a service nor other files', async () => {
    const runnable = EXAMPLES.filter(
      ({ words }) =>
        words.includes('--example') ||
        (words.includes('--local') && ['scan', 'insights'].includes(words[0] ?? '')),
    );
    expect(runnable.length).toBeGreaterThan(0);
    for (const { place, words } of runnable) {
      const { code, note } = await lockhound(words);
      expect({ place, ok: code <= 1, note }).toMatchObject({ place, ok: true });
    }
  });

  it('refuse an example that is wrong', async () => {
    expect(await faultOf(['scan', '--no-such-option'])).toContain('has no option');
    expect(await faultOf(['nothing'])).toContain('there is no command');
    expect(await faultOf(['diff', 'one'])).toContain('an argument is missing');
    expect(await faultOf(['diff', 'one', 'two', 'three'])).toContain('too many arguments');
  });
});
