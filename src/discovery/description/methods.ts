import { DiscoveryError } from '../errors.ts';
import type {
  MethodDescription,
  ParameterDescription,
  ResourceDescription,
  RestDescription,
} from './description.ts';

/** One method of a document, ready for use. */
export interface ApiMethod {
  /** Its id, or its place (`api.resource.method`) when it has none or an earlier method has the same. */
  readonly id: string;
  /** Names of the resources above it, outermost first; empty for a top-level method. */
  readonly resource: readonly string[];
  readonly httpMethod: string;
  /** RFC 6570 template, relative to the document's `servicePath`. */
  readonly path: string;
  readonly flatPath: string | undefined;
  /** The parameters without the common ones, in the order of the document. */
  readonly parameters: ReadonlyMap<string, ParameterDescription>;
  readonly parameterOrder: readonly string[];
  /** Names of the schemas of body and answer. */
  readonly request: string | undefined;
  readonly response: string | undefined;
  /** Whether the method or a resource above it is deprecated. */
  readonly deprecated: boolean;
  /** JSON path keys from the document's root. */
  readonly place: readonly string[];
  readonly description: MethodDescription;
}

/** A method in a document; read on first use, as most are not used. */
interface Located {
  readonly name: string;
  readonly resource: readonly string[];
  readonly deprecated: boolean;
  readonly description: MethodDescription;
}

/** The number of methods that an error names. */
const MAX_HINTS = 5;

const indexes = new WeakMap<RestDescription, ReadonlyMap<string, Located>>();

/**
 * All methods of a document, top-level ones first, then resource by resource to any depth. Throws `DiscoveryError`
 * (`invalid-document`) when one of them has no path or verb.
 */
export function methodsOf(document: RestDescription): readonly ApiMethod[] {
  return [...indexOf(document)].map(([id, located]) => readMethod(document, id, located));
}

/** How many methods a document has. */
export function countMethods(document: RestDescription): number {
  return indexOf(document).size;
}

/** The method of that id. Throws `DiscoveryError` (`unknown-method`; `invalid-document` as `methodsOf` does). */
export function findMethod(document: RestDescription, id: string): ApiMethod {
  const located = indexOf(document).get(id);
  if (located === undefined) {
    const hint = hintFor(id, [...indexOf(document).keys()]);
    throw new DiscoveryError('unknown-method', `${document.id ?? 'The document'} has no method ${id}${hint}`);
  }
  return readMethod(document, id, located);
}

/** Methods with a similar id: in another case, without the name of the API, or of another resource. */
function hintFor(id: string, ids: readonly string[]): string {
  const wanted = id.toLowerCase();
  const [name = ''] = wanted.split('.').slice(-1);
  const same = ids.filter((one) => one.toLowerCase() === wanted || one.toLowerCase().endsWith(`.${wanted}`));
  const near = same.length > 0 ? same : ids.filter((one) => one.toLowerCase().split('.').includes(name));
  if (near.length === 0) return '';
  const shown = near.slice(0, MAX_HINTS).join(', ');
  return `; it has ${shown}${near.length > MAX_HINTS ? ` and ${near.length - MAX_HINTS} like these` : ''}`;
}

function indexOf(document: RestDescription): ReadonlyMap<string, Located> {
  const known = indexes.get(document);
  if (known !== undefined) return known;
  const index = new Map<string, Located>();
  const pending: Node[] = [{ node: document, resource: [], deprecated: false }];
  for (let at = 0; at < pending.length; at += 1) {
    const { node, resource, deprecated } = pending[at] as Node;
    for (const [name, description] of entriesOf(node.methods)) {
      const byPlace = [document.name ?? '', ...resource, name].join('.');
      const { id: own = byPlace } = description;
      // An id belongs to the first method that has it; the others are named after their places.
      const id = index.has(own) ? byPlace : own;
      if (index.has(id)) continue;
      index.set(id, {
        name,
        resource,
        deprecated: deprecated || description.deprecated === true,
        description,
      });
    }
    for (const [name, inner] of entriesOf(node.resources)) {
      pending.push({
        node: inner,
        resource: [...resource, name],
        deprecated: deprecated || inner.deprecated === true,
      });
    }
  }
  indexes.set(document, index);
  return index;
}

interface Node {
  readonly node: ResourceDescription;
  readonly resource: readonly string[];
  readonly deprecated: boolean;
}

/** The entries that are objects; the document may be invalid elsewhere. */
function entriesOf<Value extends object>(
  map: Readonly<Record<string, Value>> | undefined,
): readonly (readonly [string, Value])[] {
  if (typeof map !== 'object' || map === null) return [];
  return Object.entries(map).filter(([, value]) => typeof value === 'object' && value !== null);
}

function readMethod(document: RestDescription, id: string, located: Located): ApiMethod {
  const { name, resource, deprecated, description } = located;
  const path = description.path ?? description.flatPath;
  if (path === undefined || description.httpMethod === undefined) {
    throw new DiscoveryError(
      'invalid-document',
      `${document.id ?? 'The document'}: ${id} has no path or verb`,
    );
  }
  return {
    id,
    resource,
    httpMethod: description.httpMethod,
    path,
    flatPath: description.flatPath,
    parameters: new Map(Object.entries(description.parameters ?? {})),
    parameterOrder: description.parameterOrder ?? [],
    request: description.request?.$ref,
    response: description.response?.$ref,
    deprecated,
    place: [...resource.flatMap((one) => ['resources', one]), 'methods', name],
    description,
  };
}
