import { inspect } from 'node:util';

const MASK = '(secret)';

/** Takes secret values out of text. */
export type Masker = (text: string) => string;

/**
 * Masks the values wherever they stand in a text, whatever their case: as they are, percent-encoded, form-encoded, inside
 * JSON strings, in HTML, in Base64; of values that are URLs also the parts that an error message or a log shows of a URL.
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
    ...htmlForms(value),
    ...base64Forms(value),
  ];
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return forms;
  const path = url.pathname === '/' ? '' : url.pathname;
  return [...forms, url.href, path, decoded(path), url.search.slice(1), url.username, url.password];
}

/** As the common template engines write it into a page. */
function htmlForms(value: string): string[] {
  if (!/[&<>"']/.test(value)) return [];
  const plain = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quotes = [
    ['&quot;', '&#39;'],
    ['&#34;', '&#39;'],
    ['&quot;', '&#x27;'],
    ['&quot;', '&apos;'],
  ] as const;
  return [plain, ...quotes.map(([double, single]) => plain.replaceAll('"', double).replaceAll("'", single))];
}

/**
 * Base64 of any text that holds the value (basic credentials hold a password so), in each of the three ways that it may
 * come to lie in the groups of three bytes, without the characters at its ends that its neighbours have a part in.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  if (bytes.length < BASE64_FROM_BYTES) return [];
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const whole = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Of shorter values it is so short that it would be found in innocent text. */
const BASE64_FROM_BYTES = 6;

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
