import type { ChangeList, ScanChanges } from '../../model/api/lockhound-api.generated.ts';
import { printable } from '../../model/printable.ts';
import { endsAlert } from '../../model/scan/transition.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from '../layout.ts';
import { labelsText } from '../packages.ts';

/** Changes of one scan that are shown. */
const SHOWN = 20;
/** Below this width titles are indented less. */
const NARROW = 60;

/** The changes of some scans: when and where, then one or two lines for each. */
export function changeListText(
  { scans }: ChangeList,
  options: TextOptions & { readonly more?: boolean },
): string {
  if (scans.length === 0) return fitLines(['No changes.'], options);
  const paint = palette(options.colour);
  const count = scans.reduce((sum, { changes }) => sum + changes.length, 0);
  return fitLines(
    [
      ...scans.flatMap((scan) => scanLines(scan, paint, options.width)),
      ...(options.more === true ? [paint.faint('… and earlier ones: --limit shows them')] : []),
      `${counted(count, 'change')} in ${counted(scans.length, 'scan')}`,
    ],
    options,
  );
}

function scanLines(
  { target, labels, scan, changes, omitted = 0, at }: ScanChanges,
  paint: Palette,
  width: number,
): readonly string[] {
  const shown = changes.slice(0, SHOWN);
  const rest = changes.length - shown.length + omitted;
  return [
    `${printable(at)}  ${paint.strong(printable(target))}${labelsText(labels, paint)}  ${paint.faint(`scan ${printable(scan)}`)}`,
    ...shown.flatMap((change) => changeLines(change, paint, width)),
    ...(rest > 0 ? [paint.faint(`  … and ${rest} more (--json lists up to 1,000 of a scan)`)] : []),
  ];
}

function changeLines(
  { transition, severity, level, purl, title, advisory, rule }: ScanChanges['changes'][number],
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
