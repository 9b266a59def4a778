import { type Diagnosis, DOCTOR_SUBJECTS, type DoctorReport } from '../../model/fleet/diagnosis.ts';
import { printable } from '../../model/printable.ts';
import { columns, counted, fitLines, type TextOptions } from '../layout.ts';
import { type Palette, palette } from '../palette.ts';

const WORDS: Readonly<Record<Diagnosis['verdict'], string>> = {
  ...{ ok: 'ok', note: 'note', warning: 'warn', fault: 'FAULT', skipped: 'skip' },
};

/** A table for each subject, and a last line with the numbers of faults and warnings. */
export function doctorText({ diagnoses }: DoctorReport, options: TextOptions): string {
  const paint = palette(options.colour);
  const tables = DOCTOR_SUBJECTS.flatMap((subject) => {
    const own = joinSkipped(diagnoses.filter((one) => one.subject === subject));
    if (own.length === 0) return [];
    const rows = own.map((one) => [verdictText(one, paint), printable(one.check), sentence(one, paint)]);
    return [paint.strong(subject), ...columns(rows, { ...options, indent: '  ' })];
  });
  return fitLines([...tables, '', summary(diagnoses, paint)], options);
}

/** Checks of a subject that were skipped for one reason are one row: without Redis they are most of all. */
function joinSkipped(diagnoses: readonly Diagnosis[]): readonly Diagnosis[] {
  const byReason = Map.groupBy(
    diagnoses.filter(({ verdict }) => verdict === 'skipped'),
    ({ says }) => says,
  );
  return diagnoses.flatMap((one) => {
    const alike = one.verdict === 'skipped' ? (byReason.get(one.says) ?? []) : [];
    if (alike.length < 2) return [one];
    if (alike[0] !== one) return [];
    const names = alike.map(({ check }) => check).join(', ');
    return [{ ...one, check: counted(alike.length, 'check'), says: `${one.says} (${names})` }];
  });
}

/** A fault that `--fix` removed does not count. */
export function hasFault({ diagnoses }: DoctorReport): boolean {
  return diagnoses.some(isFault);
}

function isFault({ verdict, fixed }: Diagnosis): boolean {
  return verdict === 'fault' && fixed !== true;
}

function verdictText({ verdict, fixed }: Diagnosis, paint: Palette): string {
  if (fixed === true) return paint.good('fixed');
  const word = WORDS[verdict];
  if (verdict === 'fault') return paint.bad(word);
  if (verdict === 'ok') return paint.good(word);
  return verdict === 'skipped' ? paint.faint(word) : paint.strong(word);
}

function sentence({ says, remedy, fix, fixed }: Diagnosis, paint: Palette): string {
  const text = `${printable(says).replace(/[.]$/, '')}.`;
  if (fixed === true) return `${text} ${paint.faint(`Done: ${fix}.`)}`;
  return remedy === undefined ? text : `${text} ${paint.faint(printable(remedy))}`;
}

function summary(diagnoses: readonly Diagnosis[], paint: Palette): string {
  const faults = diagnoses.filter(isFault).length;
  const warnings = diagnoses.filter(({ verdict }) => verdict === 'warning').length;
  const fixable = diagnoses.filter(({ fix, fixed }) => fix !== undefined && fixed !== true).length;
  const rest = warnings === 0 ? '' : `, ${counted(warnings, 'warning')}`;
  if (faults === 0) return `${paint.good('No fault')}${rest}.`;
  const help = fixable === 0 ? '' : ` --fix removes ${counted(fixable, 'fault')}.`;
  return `${paint.bad(counted(faults, 'fault'))}${rest}.${help}`;
}
