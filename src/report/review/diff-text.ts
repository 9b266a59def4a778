import { printable } from '../../model/printable.ts';
import {
  aspectCounts,
  CHANGE_ASPECTS,
  type LockfileChanges,
  type LockfileComparison,
  type PackageChange,
} from '../../model/review/package-change.ts';
import { counted, fitLines, hang, type Palette, palette, stringWidth, type TextOptions } from '../layout.ts';
import { ASPECT_WORDS, aspectDetail, NOTABLE, versionsText } from './change-words.ts';

const SHOWN_GAPS = 20;
/** Widest column of names; longer ones move their line to the right. */
const MAX_NAME = 36;
const LEAD = '  ';

/** A comparison as text: for each lockfile its changes, the most important first; then gaps and a summary. */
export function* diffText(comparison: LockfileComparison, options: TextOptions): Generator<string> {
  const paint = palette(options.colour);
  for (const file of comparison.lockfiles) {
    if (file.status !== 'unchanged' || file.notes.length > 0)
      yield fitLines(fileLines(file, paint, options.width), options);
  }
  const { newLicences, gaps } = comparison;
  const lines = [
    ...(newLicences ?? []).map(
      ({ licence, packages }) =>
        `${paint.strong('new licence')}  ${printable(licence)}  ${paint.faint(listed(packages))}`,
    ),
    ...gaps
      .slice(0, SHOWN_GAPS)
      .map(
        ({ side, subject, reason }) =>
          `${paint.bad('not compared')}  ${side} ${printable(subject)}: ${printable(reason)}`,
      ),
    ...(gaps.length > SHOWN_GAPS ? [`… and ${gaps.length - SHOWN_GAPS} more (--json lists all)`] : []),
    summary(comparison, paint),
  ];
  yield fitLines(lines, options);
}

function fileLines(file: LockfileChanges, paint: Palette, width: number): readonly string[] {
  const { path, status, changes, unchanged, notes } = file;
  const state = status === 'added' ? ', new lockfile' : status === 'removed' ? ', removed lockfile' : '';
  const nameWidth = Math.min(
    MAX_NAME,
    ...[Math.max(0, ...changes.map(({ name }) => stringWidth(printable(name))))],
  );
  return [
    `${paint.strong(printable(path))}${state}  ${paint.faint(`${counted(changes.length, 'change')}, ${unchanged} unchanged`)}`,
    ...notes.map((note) => `${LEAD}${note}`),
    ...changes.flatMap((change) => changeLines(change, nameWidth, paint, width)),
    '',
  ];
}

/** The aspects that have no word of their own in a summary of versions. */
function changeLines(
  change: PackageChange,
  nameWidth: number,
  paint: Palette,
  width: number,
): readonly string[] {
  const [main = 'changed'] = change.aspects.filter((aspect) => !DETAILED.has(aspect));
  const word = versionWord(change).padEnd(9);
  const name = printable(change.name);
  const place = change.after?.direct === true ? paint.faint('  direct') : '';
  const lead = `${LEAD}${main === 'downgraded' ? paint.bad(word) : word}${paint.strong(name)}${' '.repeat(Math.max(1, nameWidth - stringWidth(name) + 2))}`;
  const details = change.aspects.filter((aspect) => DETAILED.has(aspect));
  return [
    ...hang(lead, `${versionsText(change)}${place}`, width),
    ...details.flatMap((aspect) => {
      const label = aspect === 'integrity' ? `ALARM ${ASPECT_WORDS[aspect]}` : ASPECT_WORDS[aspect];
      const text = `${NOTABLE.has(aspect) ? paint.bad(label) : label}: ${aspectDetail(aspect, change)}`;
      return hang('      ', text, width);
    }),
  ];
}

const DETAILED: ReadonlySet<string> = new Set([
  'integrity',
  'moved',
  'install-script',
  'integrity-lost',
  'licence',
]);

function versionWord({ aspects }: PackageChange): string {
  const found = aspects.find((aspect) => !DETAILED.has(aspect));
  return found === undefined ? 'same' : ASPECT_WORDS[found];
}

function summary({ lockfiles, gaps }: LockfileComparison, paint: Palette): string {
  const counts = aspectCounts(lockfiles);
  const parts = CHANGE_ASPECTS.filter((aspect) => counts[aspect] !== undefined).map((aspect) => {
    const text = `${counts[aspect]} ${ASPECT_WORDS[aspect]}`;
    return NOTABLE.has(aspect) ? paint.bad(text) : text;
  });
  const incomplete = gaps.length === 0 ? '' : paint.bad('; the comparison is incomplete');
  if (parts.length === 0)
    return `No package changed in ${counted(lockfiles.length, 'lockfile')}${incomplete}.`;
  return `${parts.join(', ')} in ${counted(lockfiles.length, 'lockfile')}${incomplete}.`;
}

const SHOWN_PACKAGES = 5;

function listed(packages: readonly string[]): string {
  const rest = packages.length - SHOWN_PACKAGES;
  const shown = printable(packages.slice(0, SHOWN_PACKAGES).join(', '));
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
