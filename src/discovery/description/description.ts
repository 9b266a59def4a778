import { isObject } from '../../model/json-object.ts';
import { DiscoveryError } from '../errors.ts';
import type { RestDescription, SchemaDescription } from './description.generated.ts';

export type * from './description.generated.ts';
/** A schema with `location`, `required` and `repeated`: the specification has one table for both. */
export type ParameterDescription = SchemaDescription;

/**
 * Returns a parsed JSON value as a description document. `origin` (a path or URL) is used in messages. Throws
 * `DiscoveryError` (`invalid-document`) when it is not a REST description; `validateDescription` checks the rest.
 */
export function asDescription(value: unknown, origin: string): RestDescription {
  if (!isObject(value)) {
    throw new DiscoveryError('invalid-document', `${origin}: a description document is a JSON object`);
  }
  const document: RestDescription = value;
  if (document.kind !== 'discovery#restDescription') {
    throw new DiscoveryError(
      'invalid-document',
      `${origin}: kind is ${JSON.stringify(document.kind)} where "discovery#restDescription" is expected`,
    );
  }
  return document;
}

/** Reads a document's text. Throws `DiscoveryError` (`invalid-document`) as `asDescription` does, also when it is not JSON. */
export function parseDescription(text: string, origin: string): RestDescription {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DiscoveryError('invalid-document', `${origin}: not JSON (${reason})`, { cause });
  }
  return asDescription(value, origin);
}
