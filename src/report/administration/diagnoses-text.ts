import type { HealthVerdict } from '../../model/api/lockhound-api.generated.ts';
import type { Diagnosis, DoctorReport, Verdict } from '../../model/fleet/checks.ts';
import { DOCTOR_SUBJECTS } from '../../model/fleet/checks.ts';
import { printable } from '../../model/printable.ts';
import { columns, counted, fitLines, type Palette, palette, type TextOptions, wrapped } from '../layout.ts';

/** The verdict of one check as a row: a word, the name, and a sentence with what to do. */
type Row = Omit<Diagnosis, 'subject'>;

/** One sentence, then a line for each part with what to do. */
export function healthText({ verdict, summary, parts }: HealthVerdict, options: TextOptions): string {
  const rows = parts.map(({ part, ...found }) => ({ check: part, ...found }));
  const first = wrapped(painted(verdict, printable(summary), palette(options.colour)), options.width);
  return fitLines([...first, '', ...lines(rows, options)], options);
}

/** A table for each subject, and a last line with the numbers of what is not fine. */
export function doctorText({ diagnoses }: DoctorReport, options: TextOptions): string {
  const paint = palette(options.colour);
  const tables = DOCTOR_SUBJECTS.flatMap((subject) => {
    const own = joinUnknown(diagnoses.filter((one) => one.subject === subject));
    return own.length === 0 ? [] : [paint.strong(subject), ...lines(own, options, '  ')];
  });
  return fitLines([...tables, '', summaryOf(diagnoses, paint)], options);
}

/** Whether something is broken or could not be found out. A fault that `--fix` removed does not count. */
export function hasFault({ diagnoses }: DoctorReport): boolean {
  return countOf(diagnoses, 'broken') + countOf(diagnoses, 'unknown') > 0;
}

function lines(rows: readonly Row[], options: TextOptions, indent = ''): readonly string[] {
  const paint = palette(options.colour);
  const cells = rows.map((row) => [
    row.fixed === true ? paint.good('fixed') : painted(row.verdict, row.verdict, paint),
    printable(row.check),
    sentence(row, paint),
  ]);
  return columns(cells, { width: options.width, indent });
}

function painted(verdict: Verdict, text: string, paint: Palette): string {
  const colours = { fine: paint.good, unknown: paint.strong, degraded: paint.strong, broken: paint.bad };
  return colours[verdict](text);
}

function sentence({ says, remedy, fix, fixed }: Row, paint: Palette): string {
  const text = `${printable(says).replace(/[.]$/, '')}.`;
  if (fixed === true) return `${text} ${paint.faint(`Done: ${fix}.`)}`;
  return remedy === undefined ? text : `${text} ${paint.faint(printable(remedy))}`;
}

/** Checks of a subject that are unknown for one reason are one row: without Redis they are most of all. */
function joinUnknown(diagnoses: readonly Diagnosis[]): readonly Diagnosis[] {
  const byReason = Map.groupBy(
    diagnoses.filter(({ verdict }) => verdict === 'unknown'),
    ({ says }) => says,
  );
  return diagnoses.flatMap((one) => {
    const alike = one.verdict === 'unknown' ? (byReason.get(one.says) ?? []) : [];
    if (alike.length < 2) return [one];
    if (alike[0] !== one) return [];
    const names = alike.map(({ check }) => check).join(', ');
    return [{ ...one, check: counted(alike.length, 'check'), says: `${one.says} (${names})` }];
  });
}

function countOf(diagnoses: readonly Diagnosis[], verdict: Verdict): number {
  return diagnoses.filter((one) => one.verdict === verdict && one.fixed !== true).length;
}

function summaryOf(diagnoses: readonly Diagnosis[], paint: Palette): string {
  const [broken, degraded, unknown] = (['broken', 'degraded', 'unknown'] as const).map((verdict) =>
    countOf(diagnoses, verdict),
  ) as [number, number, number];
  const fixable = diagnoses.filter(({ fix, fixed }) => fix !== undefined && fixed !== true).length;
  const rest = [
    ...(degraded === 0 ? [] : [counted(degraded, 'warning')]),
    ...(unknown === 0 ? [] : [`${unknown} not known`]),
  ].map((text) => `, ${text}`);
  if (broken === 0) return `${paint.good('No fault')}${rest.join('')}.`;
  const help = fixable === 0 ? '' : ` --fix removes ${counted(fixable, 'fault')}.`;
  return `${paint.bad(counted(broken, 'fault'))}${rest.join('')}.${help}`;
}
