import type { LoggedChanges } from '../../model/fleet/logged-changes.ts';
import { printable } from '../../model/printable.ts';
import { endsAlert } from '../../model/scan/transition.ts';
import { counted, hang, type TextOptions } from '../layout.ts';
import { labelsText } from '../packages.ts';
import { type Palette, palette } from '../palette.ts';

/** Changes of one scan that are shown. */
const SHOWN = 20;
/** Below this width titles are indented less. */
const NARROW = 60;

/** The changes of one scan: when and where, then one or two lines for each. */
export function changeEntryLines(
  { target, labels, scan, changes, omitted = 0, at }: LoggedChanges & { readonly at: number },
  { colour, width }: TextOptions,
): readonly string[] {
  const paint = palette(colour);
  const shown = changes.slice(0, SHOWN);
  const rest = changes.length - shown.length + omitted;
  return [
    `${new Date(at).toISOString()}  ${paint.strong(printable(target))}${labelsText(labels, paint)}  ${paint.faint(`scan ${printable(scan)}`)}`,
    ...shown.flatMap((change) => changeLines(change, paint, width)),
    ...(rest > 0 ? [paint.faint(`  … and ${rest} more (--json lists up to 1,000 of a scan)`)] : []),
  ];
}

export function changesSummaryLine({
  scans,
  changes,
  shown,
}: {
  readonly scans: number;
  readonly changes: number;
  readonly shown: number;
}): string {
  if (scans === 0) return 'No changes.';
  const rest = scans - shown;
  return `${counted(changes, 'change')} in ${counted(scans, 'scan')}${rest > 0 ? `; ${rest} of them are not shown: --limit shows them` : ''}`;
}

function changeLines(
  { transition, severity, level, purl, title, advisory, rule }: LoggedChanges['changes'][number],
  paint: Palette,
  width: number,
): readonly string[] {
  const state = endsAlert(transition) ? paint.good(transition.padEnd(10)) : paint.bad(transition.padEnd(10));
  const weight = level === 'note' ? paint.faint('note    ') : paint.severity(severity, severity.padEnd(8));
  const indent = ' '.repeat(width < NARROW ? 6 : 24);
  return [
    ...hang(
      `  ${state}  ${weight}  `,
      `${printable(purl)}  ${paint.faint(printable(advisory ?? rule))}`,
      width,
    ),
    ...hang(indent, printable(title), width),
  ];
}
