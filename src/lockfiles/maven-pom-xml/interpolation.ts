import { childOf, textOf, type XmlElement } from '../syntax/xml-document.ts';
import type { Pom } from './pom.ts';

export interface Interpolated {
  readonly text: string;
  /** The first property without a known value. Its reference is still in the text. */
  readonly missing: string | undefined;
}

const REFERENCE = /\$\{([^${}]+)\}/g;
const MODEL_PREFIX = /^(?:project|pom)\./;
/** Properties that repeat others can grow exponentially. Names and versions are shorter. */
const MAX_LENGTH = 4_096;
/** Nesting of properties. */
const MAX_DEPTH = 100;

/**
 * Returns a function that replaces `${…}` as Maven does. `project.` refers to the first pom of the lineage, even in an
 * ancestor; then come the properties of the nearest pom, and last the fields of the project without a prefix.
 */
export function createInterpolation(lineage: readonly Pom[]): (text: string) => Interpolated {
  const values = new Map<string, Interpolated | undefined>();
  const propertyOf = (name: string, depth: number): Interpolated | undefined => {
    if (values.has(name)) return values.get(name);
    // Without a value during its own interpolation: a property that refers to itself stays unknown.
    values.set(name, undefined);
    const raw = depth > MAX_DEPTH ? undefined : rawValueOf(name, lineage);
    const value = raw === undefined ? undefined : interpolate(raw, depth + 1);
    values.set(name, value);
    return value;
  };
  const interpolate = (text: string, depth: number): Interpolated => {
    if (!text.includes('${')) return { text, missing: undefined };
    let missing: string | undefined;
    let length = text.length;
    const replaced = text.replace(REFERENCE, (reference, stated: string) => {
      const name = stated.trim();
      const value = length > MAX_LENGTH ? undefined : propertyOf(name, depth);
      length += value?.text.length ?? 0;
      missing ??= value === undefined ? name : value.missing;
      return value?.text ?? reference;
    });
    return { text: replaced, missing };
  };
  return (text) => interpolate(text, 0);
}

function rawValueOf(name: string, lineage: readonly Pom[]): string | undefined {
  const model = MODEL_PREFIX.test(name) ? modelValue(name.replace(MODEL_PREFIX, ''), lineage) : undefined;
  if (model !== undefined) return model;
  for (const { properties } of lineage) {
    const value = properties.get(name);
    if (value !== undefined) return value;
  }
  return modelValue(name, lineage);
}

/** A field of the project (`version`, `parent.groupId`). Group and version are inherited from the parent. */
function modelValue(path: string, [pom]: readonly Pom[]): string | undefined {
  const segments = path.split('.');
  const last = segments.pop() ?? '';
  let element: XmlElement | undefined = pom?.project;
  for (const segment of segments) element = childOf(element, segment);
  const own = textOf(element, last);
  if (own !== undefined || segments.length > 0) return own;
  return last === 'groupId' || last === 'version' ? pom?.parent?.[last] || undefined : undefined;
}
