import type { ParameterDescription } from '../description/description.ts';
import { DiscoveryError } from '../errors.ts';
import { matchesPattern, textFormatProblem } from './formats.ts';
import { isInteger, numberProblem } from './numbers.ts';

/** The value of a parameter; a list for a repeated one. */
export type ParameterValue = ParameterScalar | readonly ParameterScalar[] | undefined;
type ParameterScalar = string | number | bigint | boolean;

interface ParameterPlace {
  readonly methodId: string;
  readonly name: string;
  /** Leaves bounds and formats to the service. */
  readonly lenient: boolean;
}

/**
 * A parameter's values as text, checked against its description: type, repetition, enumeration, pattern, bounds and
 * format. Throws `DiscoveryError` (`invalid-parameter`) naming method and parameter.
 */
export function parameterTexts(
  { methodId, name, lenient }: ParameterPlace,
  description: ParameterDescription,
  value: Exclude<ParameterValue, undefined>,
): readonly string[] {
  const refuse = (reason: string) =>
    new DiscoveryError('invalid-parameter', `${methodId}: parameter ${name} ${reason}`);
  if (isList(value) && description.repeated !== true) throw refuse('takes one value, not a list');
  return (isList(value) ? value : [value]).map((item) => {
    if (!isScalar(item)) throw refuse('has to be text, a number, true or false, or a list of these');
    const text = textOf(description, item);
    const reason =
      typeProblem(lenient ? withoutLimits(description) : description, text) ??
      enumProblem(description, text) ??
      patternProblem(description, text) ??
      (lenient ? undefined : textFormatProblem(description.format, text));
    if (reason !== undefined) throw refuse(`${reason}; it is ${JSON.stringify(text.slice(0, 200))}`);
    return text;
  });
}

function isList(value: Exclude<ParameterValue, undefined>): value is readonly ParameterScalar[] {
  return Array.isArray(value);
}

/** Parameters often come from JSON, which can contain any value. */
function isScalar(value: unknown): value is ParameterScalar {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}

/** An integer for a decimal parameter is written with a decimal point, like the reference clients of the format do. */
function textOf({ type }: ParameterDescription, value: ParameterScalar): string {
  const text = String(value);
  return type === 'number' && typeof value === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The description without bounds and format. */
function withoutLimits({ type }: ParameterDescription): ParameterDescription {
  return type === undefined ? {} : { type };
}

function typeProblem(description: ParameterDescription, text: string): string | undefined {
  if (description.type === 'boolean' && text !== 'true' && text !== 'false') return 'has to be true or false';
  return description.type === 'number' || isInteger(description)
    ? numberProblem(description, text)
    : undefined;
}

function enumProblem(description: ParameterDescription, text: string): string | undefined {
  if (description.enum === undefined || description.enum.includes(text)) return undefined;
  return `has to be one of ${description.enum.join(', ')}`;
}

function patternProblem({ pattern }: ParameterDescription, text: string): string | undefined {
  return pattern === undefined || matchesPattern(pattern, text) ? undefined : `has to match ${pattern}`;
}
