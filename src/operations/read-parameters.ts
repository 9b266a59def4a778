import type { ParameterDescription } from '../discovery/description/description.ts';
import type { ApiMethod } from '../discovery/description/methods.ts';
import { DiscoveryError } from '../discovery/errors.ts';
import { parameterTexts } from '../discovery/request/parameter-values.ts';

type Value = string | number | boolean;

/** Largest length of one value. */
const MAX_LENGTH = 4_096;

/**
 * The parameters of a request as values, checked against the document: `path` by name, and the query. Defaults are added. Throws
 * `DiscoveryError` (`invalid-parameter`), also for a parameter that the method does not have.
 */
export function readParameters(
  method: ApiMethod,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Readonly<Record<string, Value | readonly Value[]>> {
  const values: Record<string, Value | readonly Value[]> = {};
  const inPath = (name: string): boolean => method.parameters.get(name)?.location === 'path';
  for (const name of new Set(query.keys())) {
    if (!method.parameters.has(name) || inPath(name)) throw invalid(method, ` has no parameter ${name}`);
  }
  for (const [name, description] of method.parameters) {
    const given = inPath(name) ? [path[name] ?? ''] : query.getAll(name);
    if (given.some((text) => text.length > MAX_LENGTH)) {
      throw invalid(method, `: parameter ${name} is longer than ${MAX_LENGTH} characters`);
    }
    if (given.length > 0) values[name] = readOne(method, name, description, given);
    else if (description.required === true) throw invalid(method, `: parameter ${name} is required`);
    else if (description.default !== undefined) values[name] = typed(description, description.default);
  }
  return values;
}

function readOne(
  method: ApiMethod,
  name: string,
  description: ParameterDescription,
  given: readonly string[],
): Value | readonly Value[] {
  const isRepeated = description.repeated === true;
  if (!isRepeated && given.length > 1) throw invalid(method, `: parameter ${name} is given twice`);
  const value = isRepeated ? given : (given[0] ?? '');
  const texts = parameterTexts({ methodId: method.id, name, lenient: false }, description, value);
  const values = texts.map((text) => typed(description, text));
  return isRepeated ? values : (values[0] ?? '');
}

/** The value of a text: documents write defaults as texts, as queries do. */
export function typed({ type }: { readonly type?: string | undefined }, text: string): Value {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

function invalid(method: ApiMethod, problem: string): DiscoveryError {
  return new DiscoveryError('invalid-parameter', `${method.id}${problem}`);
}
