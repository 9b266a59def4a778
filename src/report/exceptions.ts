import { printable } from '../model/printable.ts';
import { EXCEPTION_VERDICTS, type JudgedException } from '../model/scan/exception.ts';
import { counted, fitLines, hang, palette, type TextOptions } from './layout.ts';

/** Exceptions with what is known about each: those that can be removed come first. */
export function exceptionListText(
  { exceptions }: { readonly exceptions: readonly JudgedException[] },
  options: TextOptions,
): string {
  const paint = palette(options.colour);
  const lines = EXCEPTION_VERDICTS.flatMap((verdict) => {
    const group = exceptions.filter((one) => one.verdict === verdict);
    const ends = verdict === 'removable' || verdict === 'expired';
    const head = `${ends ? paint.good(verdict) : paint.strong(verdict)} (${group.length})`;
    return group.length === 0 ? [] : [head, ...group.flatMap((one) => exceptionLines(one, options)), ''];
  });
  return fitLines([...lines, `${counted(exceptions.length, 'exception')}.`], options);
}

function exceptionLines(one: JudgedException, { colour, width }: TextOptions): readonly string[] {
  const { kind, subject, value, advisory, path, line, evidence, reason, since, author, removableFrom } = one;
  const set = value === undefined ? '' : ` → ${value}`;
  const place = line === undefined ? path : `${path}:${line}`;
  const written = [
    ...(since === undefined ? [] : [`since ${since.slice(0, 10)}`]),
    ...(author === undefined ? [] : [`by ${author}`]),
    ...(removableFrom === undefined ? [] : [`removable from ${removableFrom}`]),
  ];
  const what = advisory === undefined || advisory === subject ? '' : `for ${advisory}`;
  const notes = [evidence, what, kind === 'unread' ? '' : (reason ?? ''), written.join(', ')];
  return [
    ...hang('  ', `${palette(colour).faint(printable(place))}  ${kind}  ${printable(subject + set)}`, width),
    ...notes.flatMap((text) => (text === '' ? [] : hang('    ', printable(text), width))),
  ];
}
