import { Command, CommanderError, Help } from 'commander';
import { packageVersion } from '../../files/package-file.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { COMMANDS, type CommandEntry } from '../catalog.ts';
import { EXIT } from './errors.ts';
import { helpText } from './help-text.ts';
import { type CommandContext, Interruption, type Terminal } from './terminal.ts';

/** Columns of help that does not go to a terminal. */
const HELP_WIDTH = 80;
/** On narrower terminals, and where less is left for it, a description stands below its term. */
const SIDE_BY_SIDE_WIDTH = 70;
const LEAST_BESIDE = 44;

/** Runs one command line and returns its exit code. Prints coded errors as one message and other errors with their stack. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.clean;
  const context: CommandContext = {
    terminal,
    exit(value) {
      code = value;
    },
  };
  try {
    const program = await buildProgram(args[0], context);
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.note(await nearestChoice(error.message));
      return error.exitCode === 0 ? EXIT.clean : EXIT.error;
    }
    terminal.note(`${describe(error)}\n`);
    return error instanceof Interruption ? error.exitCode : EXIT.error;
  }
}

/**
 * A command is declared when it is called, so that `--help` and wrong options load none; the others are left out then, because they take
 * as long as reading a small lockfile. Completion and `help <command>` walk over declared commands.
 */
async function buildProgram(first: string | undefined, context: CommandContext): Promise<Command> {
  const called = COMMANDS.filter(({ name }) => name === first);
  const program = bareProgram(called.length > 0 ? called : COMMANDS, first, widthOf(context.terminal));
  if (first !== COMPLETE && called.length === 0) program.addCommand(completeCommand(), { hidden: true });
  connect(program, context);
  if (first === COMPLETE || first === 'help') {
    for (const command of program.commands) await declare(command, context);
  } else {
    program.hook('preSubcommand', (_program, command) => declare(command, context));
  }
  if (first === COMPLETE) await addCompletion(program);
  return program;
}

/** Arguments after which the help of all commands is shown. An unknown command and completion know those as well that it leaves out. */
const SHOW_HELP: readonly (string | undefined)[] = [undefined, '-h', '--help', 'help'];

function bareProgram(commands: readonly CommandEntry[], first: string | undefined, width: number): Command {
  const isHelp = SHOW_HELP.includes(first);
  const usages = new Map(COMMANDS.map(({ name, usage = '[options]' }) => [name, `${name} ${usage}`.trim()]));
  // The options after the name of a command are those of the command.
  const program = new Command('lockhound')
    .enablePositionalOptions()
    .description('Scans lockfiles against a package-insights API and alerts on exactly what changed.')
    .version(packageVersion())
    .showHelpAfterError('Use --help to list commands and options.')
    .configureHelp({
      subcommandTerm: (command) => usages.get(command.name()) ?? new Help().subcommandTerm(command),
    });
  for (const { name, description, group } of commands) {
    const command = new Command(name).description(description);
    if (group !== undefined) command.helpGroup(`${group}:`);
    program.addCommand(command, { hidden: isHelp && group === undefined });
  }
  const help = new Command('help').argument('[command]').description('Describe a command.');
  program.addHelpCommand(help.helpGroup('Run:'));
  const others = COMMANDS.filter(({ group }) => group === undefined).map(({ name }) => name);
  const names = [...others, COMPLETE].sort().join(', ');
  const further = `Further commands: ${names}. \`lockhound help <command>\` describes each.`;
  return program.addHelpText('after', `\n${new Help().boxWrap(further, width)}`);
}

async function declare(command: Command, context: CommandContext): Promise<void> {
  const entry = COMMANDS.find(({ name }) => name === command.name());
  (await entry?.load())?.(command, context);
  connect(command, context);
}

/** Directs the output of a command and of all below it to the terminal, and has its errors thrown. */
function connect(command: Command, context: CommandContext): void {
  const { out, note, noteWidth } = context.terminal;
  command.configureHelp({ ...command.configureHelp(), formatItem });
  command.exitOverride().configureOutput({
    // The help itself begins with its usage, and has this width already.
    writeOut: (text) => out(text.startsWith('Usage:') ? text : helpText(text, widthOf(context.terminal))),
    writeErr: note,
    outputError: (text, write) => write(text + usageFor(text, command)),
    getOutHelpWidth: () => widthOf(context.terminal),
    getErrHelpWidth: () => noteWidth,
  });
  for (const inner of command.commands) connect(inner, context);
}

/** A line of help about an option, an argument or a command, as `Help.formatItem` returns it. */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? HELP_WIDTH;
  const isBeside = width >= SIDE_BY_SIDE_WIDTH && width - termWidth >= LEAST_BESIDE;
  if (isBeside || description === '')
    return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
  return `  ${term}\n${helper.boxWrap(description, width - 6).replaceAll(/^/gm, '      ')}`;
}

/** The choice that an argument resembles, as advice. */
async function nearestChoice(error: string): Promise<string> {
  const [, given = '', choices = ''] =
    /argument '([^']*)' is invalid\. Allowed choices are ([^.]+)\./.exec(error) ?? [];
  if (choices === '') return '';
  const { nearestNames } = await import('../../model/nearest.ts');
  const [nearest] = nearestNames(given, choices.split(', '), 1);
  return nearest === undefined ? '' : `(Did you mean ${nearest}?)\n`;
}

/** How a command is called, after an error about its arguments. A first argument may be meant as the name of an inner command. */
function usageFor(error: string, command: Command): string {
  if (error.includes('too many arguments') && command.commands.length > 0) {
    const names = command.commands.map((inner) => inner.name());
    return `Commands of ${command.name()}: ${names.join(', ')}.\n`;
  }
  return error.includes('missing required argument') ? `Usage: ${new Help().commandUsage(command)}\n` : '';
}

function widthOf({ width }: Terminal): number {
  return Number.isFinite(width) ? width : HELP_WIDTH;
}

function describe(error: unknown): string {
  if (error instanceof CodedError) return `error: ${error.message} [${error.code}]`;
  if (error instanceof Interruption) return error.message;
  // What the operating system refuses, such as a write to a full disk, is no fault of Lockhound. Its message names the path.
  if (error instanceof Error && 'syscall' in error && 'code' in error)
    return `error: ${error.message} [${String(error.code)}]`;
  if (error instanceof Error && error.name === 'ReplyError')
    return `error: Redis: ${error.message} [redis-refused]`;
  return `error: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`;
}

const COMPLETE = 'complete';

const SETUP = `
Set it up:
  source <(lockhound complete bash)                        bash; put it into ~/.bashrc
  source <(lockhound complete zsh)                         zsh; put it into ~/.zshrc
  lockhound complete fish > ~/.config/fish/completions/lockhound.fish
  lockhound complete powershell >> $PROFILE`;

/** The command as `--help` shows it. `addCompletion` replaces it. */
function completeCommand(): Command {
  return new Command(COMPLETE)
    .description('Print a completion script for a shell.')
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .addHelpText('after', SETUP);
}

/** Adds `complete <shell>`, and `complete -- <words>`, which the completion scripts call. */
async function addCompletion(program: Command): Promise<void> {
  const { default: addTab } = await import('@bomb.sh/tab/commander');
  addTab(program);
}
