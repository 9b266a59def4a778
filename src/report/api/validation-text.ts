import type { ValidatedFile } from '../../discovery/description/validate-description.ts';
import { printable } from '../../model/printable.ts';
import type { TextOptions } from '../layout.ts';
import { palette } from '../palette.ts';

const SHOWN_PROBLEMS = 3;

/**
 * Whether a description document is valid, and the first of its problems: one line for each file, regardless of the
 * width.
 */
export function validationText(file: ValidatedFile, { colour }: TextOptions): string {
  const paint = palette(colour);
  const { valid, id, methods, schemas, problems } = file;
  const shown = problemsText(problems.filter(({ severity }) => !valid === (severity === 'error')));
  const facts = `${printable(id ?? '(no id)')}: ${methods} methods, ${schemas} schemas`;
  const warnings = shown === '' ? '' : `; ${paint.faint(`odd: ${shown}`)}`;
  const verdict = valid ? paint.good('valid  ') : paint.bad('invalid');
  const lead = `${verdict}  ${paint.strong(printable(file.file))}  `;
  return `${lead}${valid ? facts + warnings : shown}\n`;
}

function problemsText(problems: ValidatedFile['problems']): string {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ path, message }) => printable(`${path} ${message}`));
  const rest = problems.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more (--json lists them)`] : [])].join('; ');
}
