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

/** A copy of plain data whose texts are printable; the data itself where they all are. */
export function printableStrings<Data>(data: Data): Data {
  return (typeof data === 'string' ? printable(data) : printableMembers(data)) as Data;
}

function printableMembers(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) {
    const items = data.map(printableStrings);
    return items.every((item, index) => item === data[index]) ? data : items;
  }
  const names = Object.keys(data);
  const before: readonly unknown[] = Object.values(data);
  const after = before.map(printableStrings);
  if (names.every((name, index) => after[index] === before[index] && printable(name) === name)) return data;
  return Object.fromEntries(names.map((name, index) => [printable(name), after[index]]));
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
