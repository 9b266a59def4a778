import { Readable } from 'node:stream';
import { Command, Help } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/catalog.ts';
import { helpText } from '../../src/cli/program/help-text.ts';
import { run } from '../../src/cli/program/program.ts';
import { stringWidth } from '../../src/report/layout.ts';
import { lockhound } from './lockhound.ts';

describe('the catalog of commands', () => {
  it.each(COMMANDS)('lists $name with its declared usage', async ({ name, usage = '[options]', load }) => {
    const command = new Command(name);
    (await load())(command, { terminal: NO_TERMINAL, exit: () => {} });
    expect(`${name} ${usage}`.trim()).toBe(new Help().subcommandTerm(command));
  });

  it('is listed by --help: the usual ones in groups, the others by name', async () => {
    const { code, out } = await lockhound(['--help']);
    expect(code).toBe(0);
    const listed = [...out.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    const shown = COMMANDS.filter(({ group }) => group !== undefined).map(({ name }) => name);
    expect(listed.toSorted()).toEqual([...shown, 'help'].sort());
    expect(listed.length).toBeLessThanOrEqual(15);
    const [, others = ''] = /Further commands: ([^.]*)\./.exec(out) ?? [];
    expect([...others.split(/,\s+/), ...shown].sort()).toEqual(
      [...COMMANDS.map(({ name }) => name), 'complete'].sort(),
    );
  });

  it('is known to suggestions, also where --help only names a command', async () => {
    const { code, note } = await lockhound(['tokns']);
    expect([code, note]).toEqual([2, expect.stringContaining('Did you mean tokens?')]);
  });
});

describe('help of a command', () => {
  it.each([
    ['help', 'deliveries'],
    ['deliveries', '--help'],
  ])('`lockhound %s %s` lists its subcommands', async (...args) => {
    const { code, out } = await lockhound(args);
    expect(code).toBe(0);
    expect(out).toContain('Usage: lockhound deliveries [options] [command]');
    expect(out).toContain('retry [options] [delivery...]');
    expect(out).toContain('lockhound deliveries resume default');
  });
});

/** The names of all commands, with those below them. */
async function allCommands(): Promise<readonly (readonly string[])[]> {
  const namesOf = (command: Command, above: readonly string[]): readonly (readonly string[])[] =>
    command.commands.flatMap((one) => [[...above, one.name()], ...namesOf(one, [...above, one.name()])]);
  const program = new Command();
  for (const { name, load } of COMMANDS)
    (await load())(program.command(name), { terminal: NO_TERMINAL, exit: () => {} });
  return [[], ...namesOf(program, [])];
}

describe('help', () => {
  it.each([
    [80, /https:/],
    // A word is not broken, and a command of the examples only before its options.
    [50, /^ *(?:\S+|lockhound .*|\S+ .*<\S+>(?:\.\.\.)?)$|^Usage: |https?:|'/],
  ])('of every command has lines of at most %i columns', async (width, permitted) => {
    const long: string[] = [];
    for (const names of await allCommands()) {
      let help = '';
      const out = (text: string) => {
        help += text;
      };
      await run([...names, '--help'], { ...NO_TERMINAL, out, width, input: Readable.from([]) });
      expect(help).toContain('Usage: lockhound');
      const lines = help.split('\n').filter((line) => stringWidth(line) > width && !permitted.test(line));
      long.push(...lines.map((line) => `${names.join(' ')}: ${line}`));
    }
    expect(long).toEqual([]);
  });

  it('has what examples do beside or below them, and continues long ones as shells read them', () => {
    const text = `
Examples:
  lockhound x   does x
  lockhound y --first-option 'a value' --second ok   does y, which takes some words to say

A sentence that the source breaks
in the middle. Another one.
Exit codes: 0 done.`;
    expect(helpText(text, 100)).toBe(text.replace('breaks\nin', 'breaks in'));
    expect(helpText(text, 44)).toBe(`
Examples:
  lockhound x
      does x
  lockhound y --first-option 'a value' \\
    --second ok
      does y, which takes some words to say

A sentence that the source breaks in the
middle. Another one.
Exit codes: 0 done.`);
  });
});

describe('a wrong command line', () => {
  it.each([
    [['sca'], "unknown command 'sca'", '(Did you mean scan?)'],
    [['--nope'], "unknown option '--nope'", 'Use --help'],
    [['parse', '--jsn'], "unknown option '--jsn'", '(Did you mean --json?)'],
    [['scan', '--fail-on', 'hihg'], "argument 'hihg' is invalid", '(Did you mean high?)'],
    [
      ['schedules', 'add'],
      "missing required argument 'name'",
      'Usage: lockhound schedules add [options] <name>',
    ],
    [['scan', '--json', '--format', 'sarif'], '--json is short for --format json, not sarif', ''],
    [['targets', 'show'], "too many arguments for 'targets'", 'Commands of targets: list, get,'],
    [['webhook', 'plam'], "unknown command 'plam'", '(Did you mean plan?)'],
  ])('%j exits with 2 and says what is wrong', async (args, message, advice) => {
    const { code, note } = await lockhound(args);
    expect(code).toBe(2);
    expect(note).toContain(message);
    expect(note).toContain(advice);
  });

  it('a command is called after `--`', async () => {
    expect((await lockhound(['--', 'config'])).note).toContain('Usage: lockhound config');
  });
});

const NO_TERMINAL = {
  out: () => {},
  note: () => {},
  colour: false,
  interactive: false,
  width: 100,
  noteWidth: 100,
};
