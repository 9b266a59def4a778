import { InsightsError } from './errors.ts';

/** An object of an answer whose fields have not been checked. */
export type Fields = Readonly<Record<string, unknown>>;

/*
 * Checks of the few fields that are read, one `typeof` each: validating whole answers would cost more than parsing
 * them. All throw `InsightsError` (`contract`) naming the place; fields at their default may be left out of JSON.
 */

export function fieldsOf(value: unknown, at: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw mismatch(at, 'an object', value);
}

export function textOf(fields: Fields, key: string, at: string): string {
  const value = own(fields, key) ?? '';
  if (typeof value === 'string') return value;
  throw mismatch(`${at}.${key}`, 'text', value);
}

export function flagOf(fields: Fields, key: string, at: string): boolean {
  const value = own(fields, key) ?? false;
  if (typeof value === 'boolean') return value;
  throw mismatch(`${at}.${key}`, 'true or false', value);
}

export function numberOf(fields: Fields, key: string, at: string): number {
  const value = own(fields, key) ?? 0;
  if (typeof value === 'number') return value;
  throw mismatch(`${at}.${key}`, 'a number', value);
}

export function listOf(fields: Fields, key: string, at: string): readonly unknown[] {
  const value = own(fields, key) ?? [];
  if (Array.isArray(value)) return value;
  throw mismatch(`${at}.${key}`, 'a list', value);
}

export function textsOf(fields: Fields, key: string, at: string): readonly string[] {
  const list = listOf(fields, key, at);
  if (list.every((item) => typeof item === 'string')) return list;
  throw mismatch(`${at}.${key}`, 'a list of text', list);
}

export function mismatch(at: string, expected: string, value: unknown): InsightsError {
  const found = value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value).slice(0, 80);
  return new InsightsError('contract', `${at}: ${expected} is expected, there is ${found}`);
}

/** Own fields only: `__proto__` and its kin in an answer are data. */
function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
