import { messageOf } from '../model/errors.ts';
import { NotifyError } from './errors.ts';
import { piecesOf, type Variables } from './variable.ts';

/**
 * Renders a JSON template. A variable inside a string is escaped for a string; one that stands for itself becomes a
 * whole value. Whatever the values are, the result has the structure of the template. Throws `NotifyError`
 * (`template-invalid`) when that is no JSON.
 */
export function renderJson(template: string, variables: Variables): string {
  let inString = false;
  let rendered = '';
  for (const piece of piecesOf(template, variables)) {
    if ('literal' in piece) {
      rendered += piece.literal;
      inString = endsInString(piece.literal, inString);
    } else {
      const { text, json } = piece.variable;
      const quoted = JSON.stringify(text);
      rendered += inString ? quoted.slice(1, -1) : json ? text : quoted;
    }
  }
  try {
    JSON.parse(rendered);
    return rendered;
  } catch (error) {
    throw new NotifyError(
      'template-invalid',
      `the payload template gives no JSON (${templateFault(error)}); quote its text or mend its brackets`,
    );
  }
}

/** Whether the text ends within a JSON string, given whether it began in one. */
function endsInString(text: string, begunInString: boolean): boolean {
  let inString = begunInString;
  for (let at = 0; at < text.length; at += 1) {
    if (inString && text[at] === '\\') at += 1;
    else if (text[at] === '"') inString = !inString;
  }
  return inString;
}

/** The parser's words up to where it quotes the rendered text, which may hold secrets. */
function templateFault(error: unknown): string {
  return messageOf(error)
    .replace(/,?\s*(?:\.{3})?".*$/s, '')
    .slice(0, 120);
}
