import type { ParameterDescription } from './description.ts';
import { DiscoveryError } from './errors.ts';
import { matchesPattern } from './pattern.ts';

/** What a caller may give for a parameter; a list for a repeated one. */
export type ParameterValue = ParameterScalar | readonly ParameterScalar[] | undefined;
type ParameterScalar = string | number | bigint | boolean;

/** Bounds of the integer formats ("format"); those of 64 bits are text in JSON, here they may be either. */
const INTEGER_BOUNDS: ReadonlyMap<string, readonly [bigint, bigint]> = new Map([
  ['int32', [-(2n ** 31n), 2n ** 31n - 1n]],
  ['uint32', [0n, 2n ** 32n - 1n]],
  ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
  ['uint64', [0n, 2n ** 64n - 1n]],
]);

/**
 * A parameter's values as text, checked against its description: type, repetition, enumeration, pattern, bounds.
 * Throws `DiscoveryError` (`invalid-parameter`) naming method and parameter.
 */
export function parameterTexts(
  methodId: string,
  name: string,
  description: ParameterDescription,
  value: Exclude<ParameterValue, undefined>,
): readonly string[] {
  const refuse = (reason: string) =>
    new DiscoveryError('invalid-parameter', `${methodId}: parameter ${name} ${reason}`);
  const values = isList(value) ? value : [value];
  if (isList(value) && description.repeated !== true) throw refuse('takes one value, not a list');
  return values.map((item) => {
    const text = String(item);
    const reason =
      typeProblem(description, item, text) ??
      enumProblem(description, text) ??
      patternProblem(description, text);
    if (reason !== undefined) throw refuse(`${reason}; it is ${JSON.stringify(text.slice(0, 200))}`);
    return text;
  });
}

function isList(value: Exclude<ParameterValue, undefined>): value is readonly ParameterScalar[] {
  return Array.isArray(value);
}

function typeProblem(
  description: ParameterDescription,
  value: ParameterScalar,
  text: string,
): string | undefined {
  if (description.type === 'boolean' && text !== 'true' && text !== 'false') return 'has to be true or false';
  const bounds = INTEGER_BOUNDS.get(description.format ?? '');
  if (description.type === 'integer' || bounds !== undefined) {
    if (!/^[+-]?\d+$/.test(text)) return 'has to be an integer';
    const integer = BigInt(text.replace(/^\+/, ''));
    if (bounds !== undefined && (integer < bounds[0] || integer > bounds[1])) {
      return `has to fit ${description.format}`;
    }
    return boundProblem(description, Number(integer));
  }
  if (description.type === 'number') {
    const number = typeof value === 'number' ? value : Number(text.trim() === '' ? Number.NaN : text);
    return Number.isFinite(number) ? boundProblem(description, number) : 'has to be a number';
  }
  return undefined;
}

function boundProblem(description: ParameterDescription, number: number): string | undefined {
  if (description.minimum !== undefined && number < Number(description.minimum)) {
    return `has to be at least ${description.minimum}`;
  }
  if (description.maximum !== undefined && number > Number(description.maximum)) {
    return `has to be at most ${description.maximum}`;
  }
  return undefined;
}

function enumProblem(description: ParameterDescription, text: string): string | undefined {
  if (description.enum === undefined || description.enum.includes(text)) return undefined;
  return `has to be one of ${description.enum.join(', ')}`;
}

function patternProblem({ pattern }: ParameterDescription, text: string): string | undefined {
  return pattern === undefined || matchesPattern(pattern, text) ? undefined : `has to match ${pattern}`;
}
