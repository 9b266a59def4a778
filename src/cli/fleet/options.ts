import { type Command, InvalidArgumentError, Option } from 'commander';
import { ECOSYSTEMS } from '../../model/lockfile/ecosystem.ts';
import { RATED_SEVERITIES, type RatedSeverity } from '../../model/scan/severity.ts';
import { counted } from '../../report/layout.ts';
import type { CommandContext } from '../program/context.ts';
import { EXIT } from '../program/exit-code.ts';
import { collectLabel } from '../program/options.ts';

/** What `withLabel` adds to a command's options. */
export interface LabelOptions {
  readonly label?: Readonly<Record<string, string>>;
}

export function withLabel(command: Command): Command {
  return command.option('-l, --label <name=value>', 'only targets with this label; can be repeated', labelOf);
}

/** What `withSeverity` adds to a command's options. */
export interface SeverityOptions {
  readonly severity?: RatedSeverity;
}

export function withSeverity(command: Command, what: string): Command {
  return command.addOption(new Option('--severity <name>', what).choices(RATED_SEVERITIES));
}

/** The value of `--ecosystem`: a purl type, or a usual name of the ecosystem. */
export const ECOSYSTEM_HELP = `only this ecosystem: ${ECOSYSTEMS.join(', ')}, or another purl type`;

/** Names of rules, separated by commas. */
export function parseNames(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
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

/** An object of JSON whose last member is a list, in parts: the list may be longer than fits into memory. */
export async function* jsonParts(
  head: object,
  name: string,
  items: AsyncIterable<unknown> | Iterable<unknown>,
  tail: () => object,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(name)}:[`;
  let separator = '';
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield `],${JSON.stringify(tail()).slice(1)}\n`;
}

/** Lines of JSON with a `type`: `first` with the head, one of each item, and `end` with the tail. */
export async function* jsonLines(
  first: string,
  head: object,
  type: string,
  items: AsyncIterable<object> | Iterable<object>,
  tail: () => object,
): AsyncGenerator<string> {
  yield `${JSON.stringify({ type: first, ...head })}\n`;
  for await (const item of items) yield `${JSON.stringify({ type, ...item })}\n`;
  yield `${JSON.stringify({ type: 'end', ...tail() })}\n`;
}

function labelOf(
  text: string,
  labels: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  if (!/^[^=]+=/.test(text)) throw new InvalidArgumentError('a name and a value: `team=web`');
  return collectLabel(text, labels);
}
