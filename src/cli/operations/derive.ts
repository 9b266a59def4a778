import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ParameterDescription } from '../../discovery/description/description.ts';
import type { ApiMethod } from '../../discovery/description/methods.ts';
import { matchesPattern } from '../../discovery/request/pattern.ts';
import type { ParameterTexts } from './caller.ts';

/** Parameters of pages, which the command line joins; `--limit` says how many entries they have. */
const OF_PAGES: ReadonlySet<string> = new Set(['pageSize', 'pageToken', 'skip', 'limit']);

const SHORT: Readonly<Record<string, string>> = { label: '-l, ', target: '-t, ' };

/** Adds the parameters of a method: those of the path and those in `args` as arguments, the others as options. */
export function withParameters(command: Command, method: ApiMethod, args: readonly string[] = []): Command {
  for (const [name, parameter] of method.parameters) {
    if (OF_PAGES.has(name)) continue;
    if (parameter.location === 'path' || args.includes(name))
      command.argument(parameter.required === true ? `<${name}>` : `[${name}]`, textOf(parameter));
    else command.addOption(optionOf(name, parameter));
  }
  return command;
}

/** The values of parameters from the arguments and options of a command. */
export function parametersOf(
  method: ApiMethod,
  given: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
  args: readonly string[] = [],
): ParameterTexts {
  const rest = [...given];
  const values = [...method.parameters].map(([name, { location }]) => {
    const value = location === 'path' || args.includes(name) ? rest.shift() : options[name];
    return [name, Array.isArray(value) ? value.map(String) : value === undefined ? undefined : String(value)];
  });
  return Object.fromEntries(values);
}

function optionOf(name: string, parameter: ParameterDescription): Option {
  const { type, repeated, pattern, enum: choices, default: preset } = parameter;
  const flag = `${SHORT[name] ?? ''}--${kebab(name)}`;
  if (type === 'boolean') return new Option(flag, textOf(parameter));
  const value = pattern?.includes('=') === true ? 'name=value' : choices === undefined ? 'value' : 'name';
  const repeats = repeated === true ? '; can be repeated' : '';
  const option = new Option(`${flag} <${value}>`, `${textOf(parameter)}${repeats}`);
  if (preset !== undefined) option.default(preset);
  if (parameter.required === true) option.makeOptionMandatory();
  if (repeated === true) return option.argParser(collect(parameter));
  return choices === undefined ? option : option.choices([...choices]);
}

/** Collects the values of an option that can be repeated. Without a pattern they may also be separated by commas. */
function collect({ pattern, enum: choices }: ParameterDescription) {
  return (text: string, before: readonly string[] = []): readonly string[] => {
    const values = pattern === undefined ? text.split(',').map((one) => one.trim()) : [text];
    if (pattern !== undefined && !matchesPattern(pattern, text))
      throw new InvalidArgumentError('a name and a value: `team=web`');
    const wrong = choices && values.find((one) => !choices.includes(one));
    if (wrong !== undefined) throw new InvalidArgumentError(`Allowed choices are ${choices?.join(', ')}.`);
    return [...before, ...values];
  };
}

/** `Only these.` as help has it: `only these`. */
function textOf({ description = '' }: ParameterDescription): string {
  return description.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}

/** `orderBy` as `order-by`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
