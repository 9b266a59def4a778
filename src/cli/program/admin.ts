import type { Command } from 'commander';
import { plainText } from '../../report/answer.ts';
import { counted } from '../../report/layout.ts';
import { EXIT } from './errors.ts';
import { type ConfigOptions, type OutputOptions, withConfig, withOutputFormat } from './options.ts';
import type { CommandContext, Terminal } from './terminal.ts';

/** The options of commands that administer what is stored in Redis. */
export type AdminOptions = OutputOptions & ConfigOptions;

export function withAdminOptions(command: Command): Command {
  return withConfig(withOutputFormat(command, 'print JSON'));
}

/** Prints a result as one line of JSON, or as text: by default all that it has. */
export function print(
  terminal: Terminal,
  { format }: OutputOptions,
  value: unknown,
  text = () => plainText(value, terminal),
): void {
  terminal.out(format === 'json' ? `${JSON.stringify(value)}\n` : text());
}

/** Says what could not be read. The result lacks it, so that the exit code is 2 like that of an incomplete scan. */
export function reportUnreadable({ terminal, exit }: CommandContext, unreadable: readonly string[]): void {
  if (unreadable.length === 0) return;
  const shown = unreadable.slice(0, MAX_SHOWN).map((message) => `  ${message}\n`);
  const rest = unreadable.length - shown.length;
  terminal.note(
    `error: the result is incomplete: ${counted(unreadable.length, 'stored value')} cannot be read\n${shown.join('')}` +
      (rest > 0 ? `  … and ${rest} more\n` : ''),
  );
  exit(EXIT.error);
}

const MAX_SHOWN = 20;
