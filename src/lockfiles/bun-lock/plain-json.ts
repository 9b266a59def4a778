import { type CodeUnits, textOfUnits, unitsOf } from '../syntax/decode-text.ts';
import { endOfString } from '../syntax/json-lines.ts';

const [NEWLINE, SPACE, QUOTE, STAR, COMMA, SLASH, CLOSE_LIST, CLOSE] = [10, 32, 34, 42, 44, 47, 93, 125];

/** The JSON in a bun.lock. Comments and trailing commas, which Bun writes or accepts, become spaces: lines and columns stay. */
export function plainJson(text: string): string {
  const units = unitsOf(text);
  const { length } = text;
  let comma = -1;
  for (let at = 0; at < length; at += 1) {
    const unit = units[at] ?? 0;
    if (unit <= SPACE) continue;
    if (unit === SLASH && (units[at + 1] === SLASH || units[at + 1] === STAR)) {
      at = blankComment(units, text, at) - 1;
      continue;
    }
    if ((unit === CLOSE || unit === CLOSE_LIST) && comma >= 0) units[comma] = SPACE;
    comma = unit === COMMA ? at : -1;
    if (unit === QUOTE) at = endOfString(units, at, length);
  }
  return textOfUnits(units);
}

/** Returns the position after the comment. */
function blankComment(units: CodeUnits, text: string, start: number): number {
  const isLine = units[start + 1] === SLASH;
  const close = isLine ? text.indexOf('\n', start) : text.indexOf('*/', start + 2);
  const end = close < 0 ? text.length : close + (isLine ? 0 : 2);
  for (let at = start; at < end; at += 1) if (units[at] !== NEWLINE) units[at] = SPACE;
  return end;
}
