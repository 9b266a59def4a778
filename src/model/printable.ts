import type { JsonObject } from './json-object.ts';

/**
 * Control characters (Cc), format characters such as direction marks, zero-width characters and tags (Cf), line and
 * paragraph separators (Zl, Zp), lone surrogates (Cs), and other characters that are not drawn (Default_Ignorable).
 */
const NOT_DRAWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Text from outside (package names, titles, file paths) made safe for a terminal, a log and the receivers of alerts:
 * each character that could hide or change what is read becomes visible as `\u202e`.
 */
export function printable(text: string): string {
  return text.replace(NOT_DRAWN, visible);
}

/** A copy of plain data whose texts are printable; the data itself where they all are, as in most data. */
export function printableStrings<Data>(data: Data): Data {
  return (isPrintable(data) ? data : printableCopy(data)) as Data;
}

function isPrintable(data: unknown): boolean {
  if (typeof data === 'string') return printable(data) === data;
  if (typeof data !== 'object' || data === null) return true;
  if (Array.isArray(data)) return data.every(isPrintable);
  for (const name of Object.keys(data)) {
    if (printable(name) !== name || !isPrintable((data as JsonObject)[name])) return false;
  }
  return true;
}

function printableCopy(data: unknown): unknown {
  if (typeof data === 'string') return printable(data);
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map(printableCopy);
  return Object.fromEntries(
    Object.entries(data).map(([name, member]) => [printable(name), printableCopy(member)]),
  );
}

/** A line of JSON in which the same characters are escaped: it means the same. */
export function printableJson(line: string): string {
  return line.replace(NOT_DRAWN, (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

function visible(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
