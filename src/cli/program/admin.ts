import { type Command, InvalidArgumentError } from 'commander';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { duration } from '../../config/values.ts';
import { counted } from '../../report/layout.ts';
import type { CommandContext } from './context.ts';
import { CommandError } from './errors.ts';
import { EXIT } from './exit-code.ts';
import { type ConfigOptions, type OutputOptions, withConfig, withOutputFormat } from './options.ts';
import type { Terminal } from './terminal.ts';

/** The options of commands that administer what is stored in Redis. */
export type AdminOptions = OutputOptions & ConfigOptions;

export function withAdminOptions(command: Command, formats?: readonly string[]): Command {
  return withConfig(withOutputFormat(command, 'print JSON', formats));
}

/** Returns a function that opens an administration for `work` and closes it afterwards. `load` loads what opens it. */
export function administering<Admin extends { close(): Promise<void> }>(
  load: () => Promise<(loaded: LoadedConfig) => Promise<Admin>>,
) {
  return async ({ config }: ConfigOptions, work: (admin: Admin) => Promise<void>): Promise<void> => {
    const open = await load();
    const admin = await open(loadConfig({ file: config }));
    try {
      await work(admin);
    } finally {
      await admin.close();
    }
  };
}

/** What was found. Throws `CommandError` (`not-found`) with `message` otherwise. */
export function present<Value>(found: Value | undefined, message: string): Value {
  if (found === undefined) throw new CommandError('not-found', message);
  return found;
}

/** Prints a result as one line of JSON, or as text. */
export function print(
  terminal: Terminal,
  { format }: OutputOptions,
  value: unknown,
  text: () => string,
): void {
  terminal.out(format === 'json' ? `${JSON.stringify(value)}\n` : text());
}

/** The value of an option that counts: a whole number of at least 1. */
export function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number of at least 1');
  return value;
}

/** A duration before now (`2h`) or a time (`2026-05-01T08:00Z`), in milliseconds since 1970. */
export function parseSince(text: string): number {
  const ago = duration.safeParse(text);
  if (ago.success) return Date.now() - ago.data;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError('a duration such as `2h` or `3d`, or a time such as 2026-05-01T08:00Z');
  }
  return time;
}

/**
 * Says what could not be read. The result lacks it, so that the exit code is 2 like that of an incomplete scan.
 */
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
