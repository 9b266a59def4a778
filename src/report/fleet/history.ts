import type { LedgerScan, PackageBlame } from '../../model/api/lockhound-api.generated.ts';
import { printable } from '../../model/printable.ts';
import { fitLines, hang, palette, type TextOptions } from '../layout.ts';
import { notComparedLines, periodLines, pointText } from '../packages.ts';

interface ShownHistory {
  readonly target: string;
  readonly knownSince?: string;
  readonly scans: readonly LedgerScan[];
}

/** The text about the changes of a target by its scans, the newest first. */
export function historyText(
  { target, knownSince, scans }: ShownHistory,
  options: TextOptions & { readonly more?: boolean },
): string {
  const paint = palette(options.colour);
  const more = options.more === true ? [paint.faint('… --limit shows more')] : [];
  const known =
    knownSince === undefined
      ? `No scan of ${printable(target)} is recorded yet.`
      : `What ${printable(target)} held is not known before ${knownSince}.`;
  const lines = scans.flatMap((scan) => [
    paint.strong(pointText(scan)) + paint.faint(`  scan ${printable(scan.scan)}`),
    ...scanLines(scan).flatMap((line) => hang('  ', line, options.width)),
    '',
  ]);
  return fitLines([...lines, ...more, known], options);
}

function scanLines(scan: LedgerScan): readonly string[] {
  const { start = false, came, went, alerts, delivered, omitted = 0 } = scan;
  return [
    ...(start ? ['the first scan of what is known'] : []),
    ...came.map(({ lockfile, name, version, direct, through }) => {
      const use = direct === true ? ', direct' : through === undefined ? '' : `, through ${through}`;
      return printable(`+ ${name}@${version}  ${lockfile}${use}`);
    }),
    ...went.map(({ lockfile, name, version }) => printable(`- ${name}@${version}  ${lockfile}`)),
    ...alerts.map(({ transition, severity, rule, purl, advisory = rule }) =>
      printable(`! ${transition} ${severity} ${advisory}  ${purl}`),
    ),
    ...delivered.map(({ route, at }) => printable(`> accepted by ${route} at ${at}`)),
    ...(omitted === 0 ? [] : [`… and ${omitted} more`]),
  ];
}

/** Which scan brought a package, and which one removed it. */
export function blameText(
  { target, periods, notCompared }: PackageBlame,
  { params, ...options }: TextOptions & { readonly params: Readonly<Record<string, unknown>> },
): string {
  const paint = palette(options.colour);
  const query = String(params['package'] ?? '');
  const none = `${printable(target)} is not known to have held ${printable(query)}.`;
  return fitLines(
    [
      ...periods.flatMap((period) => periodLines(period, paint, options.width)),
      ...(periods.length === 0 ? [none] : []),
      ...notComparedLines({ query, notCompared }),
    ],
    options,
  );
}
