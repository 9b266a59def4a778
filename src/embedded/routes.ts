import type { ParameterDescription, RestDescription } from '../discovery/description/description.ts';
import { type ApiMethod, methodsOf } from '../discovery/description/methods.ts';
import { lazily } from '../model/lazily.ts';

const FLAGS: readonly string[] = ['true', 'false'];

/** A method of a description document with the pattern of its paths, which is compiled for the first request that it could match. */
export interface Route {
  readonly method: ApiMethod;
  readonly path: () => PathPattern;
}

/** `names`: path parameters in the order of the pattern's groups. */
type PathPattern = ReturnType<typeof patternOf>;

export type RouteMatch =
  | { readonly kind: 'found'; readonly method: ApiMethod; readonly parameters: ReadonlyMap<string, string> }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'none' };

/** The routes of a document, most specific first: `…/{version}:dependencies` before `…/{version}`. */
export function routesOf(document: RestDescription): readonly Route[] {
  const routes = methodsOf(document).map((method) => {
    const path = `/${document.servicePath ?? ''}${method.path}`;
    const literals = path.replaceAll(/\{[^{}]*\}/g, '').length;
    return { method, path: lazily(() => patternOf(path)), literals };
  });
  return routes.toSorted((left, right) => right.literals - left.literals);
}

function patternOf(path: string) {
  const names: string[] = [];
  const source = path.replaceAll(/\{(\+?)([^{}]+)\}|[^{]+/g, (literal, reserved, name) => {
    if (name === undefined) return literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    names.push(name);
    return reserved === '+' ? '(.+)' : '([^/]+)';
  });
  return { names, pattern: new RegExp(`^${source}$`) };
}

/** Finds the method of a request and its path and query parameters; values of enumerations are checked and normalised. */
export function matchRoute(routes: readonly Route[], httpMethod: string, url: string): RouteMatch {
  const [path = '', query = ''] = url.split('?', 2);
  for (const { method, path: compiled } of routes) {
    if (method.httpMethod !== httpMethod) continue;
    const { pattern, names } = compiled();
    const groups = pattern.exec(path)?.slice(1);
    if (groups === undefined) continue;
    const parameters = new Map(new URLSearchParams(query));
    try {
      for (const [index, name] of names.entries())
        parameters.set(name, decodeURIComponent(groups[index] ?? ''));
    } catch {
      return { kind: 'invalid', reason: `malformed percent-encoding in ${path}` };
    }
    normaliseValues(method, parameters);
    const reason = refusalOf(method, parameters);
    return reason === undefined ? { kind: 'found', method, parameters } : { kind: 'invalid', reason };
  }
  return { kind: 'none' };
}

/** Values of enumerations and flags are accepted in any case, because clients write `npm` and `True`. */
function normaliseValues(method: ApiMethod, parameters: Map<string, string>): void {
  for (const [name, description] of method.parameters) {
    const value = parameters.get(name)?.toUpperCase();
    const own = valuesOf(description)?.find((one) => one.toUpperCase() === value);
    if (own !== undefined) parameters.set(name, own);
  }
}

function refusalOf(method: ApiMethod, parameters: ReadonlyMap<string, string>): string | undefined {
  for (const [name, description] of method.parameters) {
    const value = parameters.get(name);
    if (value === undefined) {
      if (description.required === true) return `missing parameter ${name}`;
    } else if (valuesOf(description)?.includes(value) === false) {
      return `invalid value for ${name}: ${JSON.stringify(value)}`;
    }
  }
  return undefined;
}

/** The allowed values of a parameter; `undefined` when it accepts any. */
function valuesOf({ type, enum: values }: ParameterDescription): readonly string[] | undefined {
  return type === 'boolean' ? FLAGS : values;
}
