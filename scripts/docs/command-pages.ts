import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { COMMANDS, type CommandEntry } from '../../src/cli/catalog.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const HELP_COLUMNS = 80;

/** A page for each command, with its help and where it is described, and the list of all. */
export async function commandPages() {
  const described = await descriptions();
  const pages = await Promise.all(
    COMMANDS.map(async (entry) => ({
      path: `docs/commands/${entry.name}.md`,
      content: await pageOf(entry, described.get(entry.name) ?? []),
    })),
  );
  const list = COMMANDS.map(({ name, description }) => `| [\`${name}\`](${name}.md) | ${description} |`);
  const content = `# Commands

Each page has the options, examples and exit codes of one command, as \`lockhound <command> --help\` prints them.

| command | purpose |
|---|---|
${list.join('\n')}
`;
  return [...pages, { path: 'docs/commands/index.md', content }];
}

interface Description {
  readonly file: string;
  readonly title: string;
}

/** The hand-written pages that show a command in an example, by its name. */
async function descriptions(): Promise<ReadonlyMap<string, readonly Description[]>> {
  const found = new Map<string, Description[]>();
  for (const file of (await readdir(DOCS)).filter((name) => name.endsWith('.md')).sort()) {
    const text = await readFile(join(DOCS, file), 'utf8');
    const [, title = file] = /^# (.+)$/m.exec(text) ?? [];
    const names = [...text.matchAll(/^(?:npx )?lockhound ([a-z]+)/gm)].map(([, name = '']) => name);
    for (const name of new Set(names)) found.set(name, [...(found.get(name) ?? []), { file, title }]);
  }
  return found;
}

async function pageOf(entry: CommandEntry, described: readonly Description[]): Promise<string> {
  const links = described.map(({ file, title }) => `[${title}](../${file})`);
  const sections = helpOf(await declared(entry), ['lockhound']);
  return [
    `# lockhound ${entry.name}`,
    '',
    entry.description,
    ...(links.length === 0 ? [] : ['', `Described in: ${links.join(', ')}.`]),
    ...sections.map(({ name, help }, index) =>
      [...(index === 0 ? [] : ['', `## ${name}`]), '', '```text', help.trim(), '```'].join('\n'),
    ),
    '',
  ].join('\n');
}

async function declared(entry: CommandEntry): Promise<Command> {
  const ignore = (): void => {};
  const terminal = {
    out: ignore,
    note: ignore,
    colour: false,
    interactive: false,
    width: HELP_COLUMNS,
    noteWidth: HELP_COLUMNS,
  };
  const command = new Command(entry.name).description(entry.description);
  new Command('lockhound').addCommand(command);
  (await entry.load())(command, { terminal, exit: ignore });
  return command;
}

interface Help {
  readonly name: string;
  readonly help: string;
}

/** The help of a command and of all below it. */
function helpOf(command: Command, parents: readonly string[]): readonly Help[] {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => HELP_COLUMNS,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  const path = [...parents, command.name()];
  return [{ name: path.join(' '), help }, ...command.commands.flatMap((inner) => helpOf(inner, path))];
}
