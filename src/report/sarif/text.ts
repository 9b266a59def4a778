import { printable } from '../../model/printable.ts';

/** Code scanning cuts or refuses longer names, descriptions and messages (its documentation of supported SARIF). */
const MAX_TEXT = 1_024;

/**
 * Text from outside for a message: without control characters, with the brackets of SARIF's links escaped (§3.11.6), and of at
 * most 1,024 characters.
 */
export function sarifText(value: string): string {
  const escaped = value
    .slice(0, MAX_TEXT)
    .split('\n')
    .map((line) => printable(line))
    .join('\n')
    .replace(/[[\]]/g, '\\$&');
  return escaped.length <= MAX_TEXT
    ? escaped
    : `${escaped.slice(0, MAX_TEXT - 2).replace(/(?<!\\)\\+$/, '')} …`;
}
