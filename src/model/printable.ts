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

/** The same for a text of several lines: line breaks stay. */
export function printableLines(text: string): string {
  return text.replace(NOT_DRAWN, (character) => (character === '\n' ? character : visible(character)));
}

function visible(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
