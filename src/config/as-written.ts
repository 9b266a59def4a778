import { z } from 'zod';
import { isObject } from '../model/json-object.ts';
import { duration } from './values.ts';

/** The password in a URL. */
const PASSWORD = /^([a-z]+:\/\/[^/?#@:]*):[^/?#@]*@/i;

/** `value` without passwords of URLs, with durations as text: as in `written`, from which it was parsed, or as the default is written. */
export function asWritten(schema: z.ZodType, value: unknown, written: unknown): unknown {
  const { inner, fallback } = unwrap(schema);
  if (inner === duration) return written ?? fallback ?? value;
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const items = Array.isArray(written) ? written : [];
    return value.map((item, index) => asWritten(inner.element as z.ZodType, item, items[index]));
  }
  if (typeof value === 'string') return value.replace(PASSWORD, '$1:***@');
  if (!(inner instanceof z.ZodObject) || !isObject(value)) return value;
  const texts = isObject(written) ? written : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, asWritten(inner.shape[key], item, texts[key])]),
  );
}

/** The schema without optionality, and its default as it would be written. */
export function unwrap(schema: z.ZodType): { readonly inner: z.ZodType; readonly fallback: unknown } {
  let inner = schema;
  let fallback: unknown;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
    if (inner instanceof z.ZodPrefault) fallback = inner.def.defaultValue;
    inner = inner.unwrap() as z.ZodType;
  }
  return { inner, fallback };
}
