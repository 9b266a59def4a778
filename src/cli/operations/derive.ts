import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  ParameterDescription,
  RestDescription,
  SchemaDescription,
} from '../../discovery/description/description.ts';
import type { ApiMethod } from '../../discovery/description/methods.ts';
import { matchesPattern } from '../../discovery/request/formats.ts';
import { defined } from '../../model/defined.ts';
import type { ParameterTexts } from '../../operations/call.ts';
import { readJsonOption } from '../program/input.ts';
import { collectLabel } from '../program/options.ts';

/** Parameters of pages, which the command line joins: `--limit` says how many entries they have. `--format` is one of every command. */
const OWN: ReadonlySet<string> = new Set(['pageSize', 'pageToken', 'skip', 'limit', 'format']);

const SHORT: Readonly<Record<string, string>> = { label: '-l, ', target: '-t, ' };
const LABEL = '^[^=]+=.*$';

/** The arguments of a command: names of parameters or of properties of the body, and the one that has several values. */
interface Arguments {
  readonly args: readonly string[];
  readonly each: string | undefined;
  /** Properties of the body that are made of something else. */
  readonly made: readonly string[];
}

/** The arguments and options that a person typed. */
interface Given {
  readonly args: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** A value of a request that can be typed: a parameter, or a property of the body. */
interface Typed {
  readonly name: string;
  readonly description: ParameterDescription;
  /** The property of the body. */
  readonly property?: string;
}

/** Adds what a method takes: parameters of the path and those in `args` as arguments, the others as options. */
export function withParameters(
  command: Command,
  document: RestDescription,
  method: ApiMethod,
  { args, each, made }: Arguments,
): Command {
  for (const { name, description, property = '' } of typedValues(document, method)) {
    if (OWN.has(name) || made.includes(property)) continue;
    const { required, repeated } = description;
    if (!isArgument(name, description, args)) command.addOption(optionOf(name, description));
    else {
      const shown = name === each || repeated === true ? `${name}...` : name;
      command.argument(required === true ? `<${shown}>` : `[${shown}]`, textOf(description));
    }
  }
  return command;
}

/** The values of parameters from the arguments and options of a command. */
export function parametersOf(
  document: RestDescription,
  method: ApiMethod,
  given: Given,
  args: readonly string[],
): ParameterTexts {
  return Object.fromEntries(
    valuesOf(document, method, given, args).flatMap(([{ name, property }, value]) =>
      property === undefined ? [[name, textsOf(value)]] : [],
    ),
  );
}

/** Returns the texts of an argument; `undefined` without a value. The value of an argument that takes several is then an empty list. */
function textsOf(value: unknown): ParameterTexts[string] {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(String);
  return value === undefined ? undefined : String(value);
}

/** The body from the arguments and options of a command, and from the file at `--data`. Throws `CommandError`. */
export async function bodyOf(
  document: RestDescription,
  method: ApiMethod,
  given: Given,
  { args, made }: Pick<Arguments, 'args' | 'made'>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (method.request === undefined) return undefined;
  const { data } = given.options;
  const isRead = typeof data === 'string' && hasOtherBody(document, method, made);
  const typed = valuesOf(document, method, given, args).flatMap(([{ property, description }, value]) => {
    if (property === undefined || value === undefined) return [];
    const isMap = description.pattern === LABEL;
    const labels = () => (value as readonly string[]).reduce((all, one) => collectLabel(one, all), {});
    const isNumber = description.type === 'integer' || description.type === 'number';
    return [[property, isMap ? labels() : isNumber ? Number(value) : value] as const];
  });
  const read = isRead ? await readJsonOption('--data', data === '-' ? data : `@${data}`) : {};
  return { ...(read as object), ...Object.fromEntries(typed) };
}

/** Whether the body has parts that cannot be typed, so that it is read from a file. */
export function hasOtherBody(
  document: RestDescription,
  { request }: ApiMethod,
  made: readonly string[],
): boolean {
  const { properties = {} } = document.schemas?.[request ?? ''] ?? {};
  const isTyped = (one: SchemaDescription): boolean => propertyOf(document, one, false) !== undefined;
  const all = Object.entries(properties);
  const isKnown = ([name, one]: (typeof all)[number]) => made.includes(name) || isTyped(one);
  return request !== undefined && (all.length === 0 || !all.every(isKnown));
}

function valuesOf(
  document: RestDescription,
  method: ApiMethod,
  given: Given,
  args: readonly string[],
): readonly (readonly [Typed, unknown])[] {
  const rest = [...given.args];
  return typedValues(document, method).map((one) => [
    one,
    isArgument(one.name, one.description, args) ? rest.shift() : given.options[one.name],
  ]);
}

function isArgument(name: string, { location }: ParameterDescription, args: readonly string[]): boolean {
  return location === 'path' || args.includes(name);
}

function typedValues(document: RestDescription, method: ApiMethod): readonly Typed[] {
  const { properties = {} } = document.schemas?.[method.request ?? ''] ?? {};
  return [
    ...Array.from(method.parameters, ([name, description]) => ({ name, description })),
    ...Object.entries(properties).flatMap(([property, schema]): Typed[] => {
      const isRequired = schema.annotations?.required?.includes(method.id) === true;
      const description = propertyOf(document, schema, isRequired);
      if (description === undefined) return [];
      const name = description.pattern === LABEL ? property.replace(/s$/, '') : property;
      return [{ name, description, property }];
    }),
  ];
}

/** A property of a body as a parameter. `undefined` for one that is no text, number, list of these or map of texts. */
function propertyOf(
  document: RestDescription,
  schema: SchemaDescription,
  required: boolean,
): ParameterDescription | undefined {
  const target = document.schemas?.[schema.$ref ?? ''] ?? schema;
  const { type, items, additionalProperties } = target;
  const { description = target.description ?? '' } = schema;
  if (type === 'object')
    return additionalProperties?.type === 'string'
      ? { type: 'string', description, pattern: LABEL, repeated: true, required }
      : undefined;
  if (type === 'array')
    return items?.type === 'string' ? { ...plain(items), description, repeated: true, required } : undefined;
  return { ...plain(target), description, required };
}

function plain({ type, pattern, enum: choices, default: preset }: SchemaDescription): ParameterDescription {
  return defined({ type, pattern, enum: choices, default: preset });
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
    const values = pattern === LABEL ? [text] : text.split(',').map((one) => one.trim());
    if (pattern !== undefined && !values.every((one) => matchesPattern(pattern, one)))
      throw new InvalidArgumentError(
        pattern === LABEL ? 'a name and a value: `team=web`' : `does not match ${pattern}`,
      );
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
