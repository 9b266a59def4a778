import type { ParameterDescription, RestDescription } from '../description/description.ts';
import type { ApiMethod } from '../description/methods.ts';
import { DiscoveryError } from '../errors.ts';
import { type ParameterValue, parameterTexts } from './parameter-values.ts';
import { encodeUnreserved, expandUriTemplate, templateVariables } from './uri-template.ts';

export type Params = Readonly<Record<string, ParameterValue>>;

interface ParameterOptions {
  /** Expands `flatPath`; its variables are then the required parameters of the path. */
  readonly flatPath: boolean;
  /** Leaves bounds and formats to the service. */
  readonly lenient: boolean;
  /** Expanded in place of the path of the method (media upload). */
  readonly template?: string;
}

/** Segments that URL parsers remove together with the preceding one, also when they are percent-encoded. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** A variable of the path that the document does not declare (`flatPath` never does). */
const UNDECLARED: ParameterDescription = { type: 'string', location: 'path', required: true };

/**
 * Places the parameters of a call in the path and the query, and checks each of them. A required parameter without a value
 * has its default. Throws `DiscoveryError` (`invalid-parameter`).
 * `query`: the query without `?`; it may be empty.
 */
export function placeParameters(
  document: RestDescription,
  method: ApiMethod,
  params: Params,
  options: ParameterOptions,
) {
  const { flatPath, lenient } = options;
  const common = document.parameters ?? {};
  const template = templateOf(method, options);
  const variables = new Set(templateVariables(template));
  const path = new Map<string, string | readonly string[]>();
  const query: string[] = [];
  const given = withDefaults();
  for (const [name, value] of given) {
    if (lenient && isPlaceless(name)) continue;
    const description = describe(name);
    const texts = parameterTexts({ methodId: method.id, name, lenient }, description, value);
    if (variables.has(name)) path.set(name, asPathValue(name, description, texts));
    else for (const text of texts) query.push(`${encodeQuery(name)}=${encodeQuery(text)}`);
  }
  // Google's services support several formats, and clients name one; documents with `alt` describe such a service.
  const hasFormats = Object.hasOwn(common, 'alt');
  if (hasFormats && method.description.response !== undefined && !given.has('alt')) query.push('alt=json');
  const expanded = expandUriTemplate(template, (name) => path.get(name));
  if (!lenient && expanded.split('/').some((segment) => DOTS.test(segment))) {
    throw invalid(
      `: a parameter of the path may not be . or ..: the call would reach another path (${expanded})`,
    );
  }
  return { path: expanded, query: query.join('&') };

  function invalid(problem: string): DiscoveryError {
    return new DiscoveryError('invalid-parameter', `${method.id}${problem}`);
  }

  /** The given values and the defaults of required parameters. Throws for a required parameter without either. */
  function withDefaults() {
    const isGiven = (
      entry: [string, ParameterValue],
    ): entry is [string, Exclude<ParameterValue, undefined>] => entry[1] !== undefined;
    const values = new Map(Object.entries(params).filter(isGiven));
    for (const [name, description] of method.parameters) {
      // `flatPath` has other variables than the path, and some documents declare a parameter that no path contains.
      if (description.required !== true || values.has(name) || isPlaceless(name)) continue;
      if (description.default === undefined) throw invalid(`: parameter ${name} is required`);
      values.set(name, description.repeated === true ? [description.default] : description.default);
    }
    if (!flatPath) return values;
    for (const name of variables) if (!values.has(name)) throw invalid(`: parameter ${name} is required`);
    return values;
  }

  /** Whether a parameter belongs in the path, and the path has no variable for it. */
  function isPlaceless(name: string): boolean {
    return method.parameters.get(name)?.location === 'path' && !variables.has(name);
  }

  function describe(name: string): ParameterDescription {
    if (isPlaceless(name)) {
      const has = variables.size === 0 ? 'it has no variables' : `it has ${[...variables].join(', ')}`;
      throw invalid(`: parameter ${name} has no place in the ${flatPath ? 'flatPath' : 'path'}: ${has}`);
    }
    const description = method.parameters.get(name);
    if (description !== undefined) return description;
    if (variables.has(name)) return UNDECLARED;
    if (Object.hasOwn(common, name)) return formatsOf(method, name, common[name] ?? {});
    throw invalid(` has no parameter ${name}`);
  }

  function asPathValue(name: string, { repeated }: ParameterDescription, texts: readonly string[]) {
    // An empty segment would address another resource: the collection.
    if (texts.length === 0 || texts.includes('')) throw invalid(`: parameter ${name} may not be empty`);
    return repeated === true ? texts : (texts[0] ?? '');
  }
}

/** The names of the parameters in the order of a signature: `parameterOrder`, then the other required ones. */
export function signatureOf(method: ApiMethod): readonly string[] {
  const required = [...method.parameters].filter(([, { required }]) => required === true);
  return [...new Set([...method.parameterOrder, ...required.map(([name]) => name)])];
}

/**
 * Values in the order of `signatureOf` as parameters by name. Throws `DiscoveryError` (`invalid-parameter`) when there
 * are more values than that.
 */
export function paramsInOrder(
  method: ApiMethod,
  values: readonly string[],
): Readonly<Record<string, string>> {
  const names = signatureOf(method);
  if (values.length > names.length) {
    const takes = names.length === 0 ? 'none' : names.join(', ');
    throw new DiscoveryError(
      'invalid-parameter',
      `${method.id} takes ${names.length} values in order (${takes}), not ${values.length}`,
    );
  }
  return Object.fromEntries(values.map((value, index) => [names[index] ?? '', value]));
}

function templateOf(method: ApiMethod, { flatPath, template }: ParameterOptions): string {
  if (template !== undefined) return template;
  if (!flatPath) return method.path;
  if (method.flatPath !== undefined) return method.flatPath;
  throw new DiscoveryError('invalid-parameter', `${method.id} has no flatPath`);
}

/** Methods with media downloads accept `alt=media`, which many documents omit from the values of `alt`. */
function formatsOf(
  { description: { supportsMediaDownload } }: ApiMethod,
  name: string,
  common: ParameterDescription,
): ParameterDescription {
  if (name !== 'alt' || supportsMediaDownload !== true || common.enum === undefined) return common;
  return { ...common, enum: [...common.enum, 'media'] };
}

/** Form encoding: all services read it, and a space is shorter. */
function encodeQuery(text: string): string {
  return encodeUnreserved(text).replaceAll('%20', '+');
}
