import { inspect } from 'node:util';
import { percentDecoded } from './json-object.ts';

/** Values of one secret that are masked: the last ones. */
const MAX_KNOWN = 8;

/** The text that is shown in place of a secret value. */
export const MASK = '(secret)';

/**
 * A secret value that is not shown by accident: conversion to text, JSON and inspection return `(secret)`. Only
 * `reveal()` returns the value; call it where the value is used and not earlier. A secret that is defined by a function
 * is read whenever it is revealed, so that a command which does not use it works where it is not set, and its file may change.
 */
export class Secret {
  readonly #read: () => string;
  #values: readonly string[];

  constructor(value: string | (() => string)) {
    this.#read = typeof value === 'string' ? () => value : value;
    this.#values = typeof value === 'string' ? [value] : [];
  }

  /** The present value; the last one while it cannot be read. Throws the error of its reader when it was never read. */
  reveal(): string {
    const last = this.#values.at(-1);
    let value: string;
    try {
      value = this.#read();
    } catch (error) {
      if (last === undefined) throw error;
      return last;
    }
    if (value !== last)
      this.#values = [...this.#values.filter((one) => one !== value), value].slice(-MAX_KNOWN);
    return value;
  }

  /** The values that this process has read, for masks: what was never read cannot leak. */
  known(): readonly string[] {
    return this.#values;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

/** Replaces secret values in a text with `(secret)`. */
export type Masker = (text: string) => string;

/**
 * Masks all occurrences of the values in any case: plain, percent-encoded, form-encoded, in JSON strings, in HTML and in
 * Base64; for values that are URLs also the parts that error messages and logs show. Forms of fewer than 8 characters are masked
 * where they are whole words: a mask inside of a known word would tell them. Forms that are shorter than `shortest`
 * stay: masking them would hide ordinary text.
 */
export function createMasker(values: Iterable<string>, shortest = 1): Masker {
  const patterns = new Map<string, string>();
  const add = (form: string, pattern: string): void => {
    if (form.length >= shortest) patterns.set(form, pattern);
  };
  for (const value of values) {
    for (const form of formsOf(value)) add(form, form.length < LONG ? asWord(form) : escaped(form));
    for (const form of base64Forms(value)) add(form, escaped(form));
  }
  if (patterns.size === 0) return (text) => text;
  const longestFirst = [...patterns].sort(([left], [right]) => right.length - left.length);
  const pattern = new RegExp(longestFirst.map(([, one]) => one).join('|'), 'gi');
  return (text) => text.replace(pattern, MASK);
}

/** Forms of this length do not occur in ordinary words by chance. */
const LONG = 8;

/** A pattern for a form that is not a part of a longer word. */
function asWord(form: string): string {
  return `${/^\w/.test(form) ? '(?<!\\w)' : ''}${escaped(form)}${/\w$/.test(form) ? '(?!\\w)' : ''}`;
}

/** The error as the `cause` of another one; nothing when it contains a secret value. */
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
  ];
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return forms;
  const path = url.pathname === '/' ? '' : url.pathname;
  return [...forms, url.href, path, percentDecoded(path), url.search.slice(1), url.username, url.password];
}

/** The escapes of common template engines. */
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
 * Base64 of any text that contains the value, as basic credentials do: one form for each offset in the groups of three
 * bytes, without the outer characters, which depend on the neighbouring bytes.
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

/** The Base64 of shorter values is too short: it would match ordinary text. */
const BASE64_FROM_BYTES = 6;

/** The text as a regular expression that matches it literally. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
