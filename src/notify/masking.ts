import { inspect } from 'node:util';

const MASK = '(secret)';

/** Takes secret values out of text. */
export type Masker = (text: string) => string;

/**
 * Masks the values wherever they stand in a text, whatever their case: as they are, percent-encoded, form-encoded, inside
 * JSON strings; of values that are URLs also the parts that an error message or a log shows of a URL.
 */
export function createMasker(values: Iterable<string>): Masker {
  const forms = new Set<string>();
  for (const value of values) for (const form of formsOf(value)) if (form !== '') forms.add(form);
  if (forms.size === 0) return (text) => text;
  const longestFirst = [...forms].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'gi');
  return (text) => text.replace(pattern, MASK);
}

/** The error as a `cause`, unless it holds a secret value itself: then nothing. */
export function harmlessCause(error: unknown, mask: Masker): { readonly cause?: unknown } {
  const shown = inspect(error, { depth: 8 });
  return mask(shown) === shown ? { cause: error } : {};
}

function formsOf(value: string): string[] {
  const wellFormed = value.toWellFormed();
  const forms = [
    value,
    value.trim(),
    encodeURI(wellFormed),
    encodeURIComponent(wellFormed),
    new URLSearchParams([['', wellFormed]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
  ];
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return forms;
  const path = url.pathname === '/' ? '' : url.pathname;
  return [...forms, url.href, path, decoded(path), url.search.slice(1), url.username, url.password];
}

/** The characters that a regular expression reads as more than themselves. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
