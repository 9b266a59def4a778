import type {
  MethodDescription,
  ParameterDescription,
  ResourceDescription,
  RestDescription,
} from './description.ts';
import { DiscoveryError } from './errors.ts';

/** One method of a document, ready for use. */
export interface ApiMethod {
  readonly id: string;
  /** Names of the resources above it, outermost first; empty for a top-level method. */
  readonly resource: readonly string[];
  readonly httpMethod: string;
  /** RFC 6570 template, relative to the document's `servicePath`. */
  readonly path: string;
  readonly flatPath: string | undefined;
  /** Its own parameters, without the common ones; in the document's order. */
  readonly parameters: ReadonlyMap<string, ParameterDescription>;
  readonly parameterOrder: readonly string[];
  /** Names of the schemas of its body and of its answer. */
  readonly request: string | undefined;
  readonly response: string | undefined;
  readonly description: MethodDescription;
}

const indexes = new WeakMap<RestDescription, ReadonlyMap<string, ApiMethod>>();

/** All methods of a document, top-level ones first, then resource by resource to any depth. */
export function methodsOf(document: RestDescription): readonly ApiMethod[] {
  return [...indexOf(document).values()];
}

/** The method of that id. Throws `DiscoveryError` (`unknown-method`). */
export function findMethod(document: RestDescription, id: string): ApiMethod {
  const method = indexOf(document).get(id);
  if (method === undefined) {
    throw new DiscoveryError('unknown-method', `${document.id ?? 'The document'} has no method ${id}`);
  }
  return method;
}

function indexOf(document: RestDescription): ReadonlyMap<string, ApiMethod> {
  const known = indexes.get(document);
  if (known !== undefined) return known;
  const index = new Map<string, ApiMethod>();
  const pending: { node: ResourceDescription; resource: readonly string[] }[] = [
    { node: document, resource: [] },
  ];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    for (const [name, method] of Object.entries(next.node.methods ?? {})) {
      const entry = readMethod(document, next.resource, name, method);
      index.set(entry.id, entry);
    }
    for (const [name, node] of Object.entries(next.node.resources ?? {})) {
      pending.push({ node, resource: [...next.resource, name] });
    }
  }
  indexes.set(document, index);
  return index;
}

function readMethod(
  document: RestDescription,
  resource: readonly string[],
  name: string,
  method: MethodDescription,
): ApiMethod {
  const id = method.id ?? [document.name ?? '', ...resource, name].join('.');
  const path = method.path ?? method.flatPath;
  if (path === undefined || method.httpMethod === undefined) {
    throw new DiscoveryError(
      'invalid-document',
      `${document.id ?? 'The document'}: ${id} has no path or verb`,
    );
  }
  return {
    id,
    resource,
    httpMethod: method.httpMethod,
    path,
    flatPath: method.flatPath,
    parameters: new Map(Object.entries(method.parameters ?? {})),
    parameterOrder: method.parameterOrder ?? [],
    request: method.request?.$ref,
    response: method.response?.$ref,
    description: method,
  };
}
