import type { Scan, ScanDetails, ScanList } from '../model/api/lockhound-api.generated.ts';
import { printable } from '../model/printable.ts';
import { counted, fitLines, type TextOptions } from './layout.ts';
import { type Palette, palette } from './palette.ts';

/** Two lines for each scan. `more`: whether there are further ones. */
export function scanListText(
  { scans }: ScanList,
  options: TextOptions & { readonly more?: boolean },
): string {
  const paint = palette(options.colour);
  const lines = scans.flatMap((scan) => [
    `${stateText(scan, paint)}  ${paint.strong(printable(scan.target))}  ${printable(scan.scan)}  ${paint.faint(scan.requestedAt)}`,
    `             ${factsOf(scan).join('; ')}`,
  ]);
  return fitLines(
    [
      ...lines,
      ...(scans.length === 0 ? ['No scans.'] : []),
      ...(options.more === true ? [paint.faint('… and more: --limit shows them')] : []),
    ],
    options,
  );
}

/** One scan with its unread lockfiles and deliveries. */
export function scanText({ scan, deliveries }: ScanDetails, options: TextOptions): string {
  const paint = palette(options.colour);
  const { unread = 0, unreadFiles = [] } = scan;
  const lines = [
    `${paint.strong(printable(scan.scan))}  ${stateText(scan, paint).trimEnd()}`,
    `  target       ${printable(scan.target)}`,
    `  requested    ${scan.requestedAt}`,
    ...(scan.startedAt === undefined ? [] : [`  started      ${scan.startedAt}`]),
    ...(scan.endedAt === undefined ? [] : [`  ended        ${scan.endedAt}`]),
    ...(scan.step === undefined ? [] : [`  now          ${printable(scan.step)}`]),
    ...factsOf(scan).map((fact) => `  ${fact}`),
    ...unreadFiles.map(
      ({ path, reason }) => `  ${paint.bad('not read')}: ${printable(path)}: ${printable(reason)}`,
    ),
    ...(unread > unreadFiles.length
      ? [`  … and ${unread - unreadFiles.length} more that were not read`]
      : []),
    ...deliveries.map(
      ({ id, route, state, reason }) =>
        `  ${state.padEnd(9)}  ${id}  route ${printable(route)}${reason === undefined ? '' : `: ${printable(reason)}`}`,
    ),
  ];
  return fitLines(lines, options);
}

function stateText({ state, incomplete }: Scan, paint: Palette): string {
  const text = state.padEnd(11);
  if (state === 'failed') return paint.bad(text);
  return incomplete === true ? paint.bad(text) : text;
}

/** The facts of a record as phrases. */
function factsOf(scan: Scan): readonly string[] {
  const { startedAt, endedAt, lockfiles, packages = 0, unread = 0, problems = 0, gaps = 0 } = scan;
  const { deliveries = 0, delivered = 0, failedDeliveries = 0 } = scan;
  const facts: string[] = [];
  if (scan.reason !== undefined && scan.state === 'failed') facts.push(printable(scan.reason));
  if (startedAt !== undefined && endedAt !== undefined)
    facts.push(`took ${seconds(Date.parse(endedAt) - Date.parse(startedAt))}`);
  if (lockfiles !== undefined) {
    facts.push(
      `${counted(packages, 'package')} in ${counted(lockfiles, 'lockfile')}${counts(scan.outcomes)}`,
    );
  }
  if (scan.unchanged === true) facts.push('unchanged since the last scan');
  if (unread > 0) facts.push(`${counted(unread, 'lockfile')} not read`);
  if (problems > 0) facts.push(counted(problems, 'unreadable entry', 'unreadable entries'));
  if (gaps > 0) facts.push(counted(gaps, 'gap'));
  if (scan.incomplete === true) facts.push('incomplete');
  if (scan.findings !== undefined) facts.push(`findings: ${phrase(scan.findings)}`);
  if (scan.changes !== undefined) facts.push(`changes: ${phrase(scan.changes)}`);
  if (deliveries > 0) {
    const failed = failedDeliveries > 0 ? `, ${failedDeliveries} failed` : '';
    facts.push(`${delivered} of ${counted(deliveries, 'alert')} delivered${failed}`);
  }
  return facts;
}

function counts(named: Readonly<Record<string, number>> | undefined): string {
  return named === undefined || Object.keys(named).length === 0 ? '' : ` (${phrase(named)})`;
}

function phrase(named: Readonly<Record<string, number>>): string {
  const parts = Object.entries(named).map(([name, count]) => `${count} ${printable(name)}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function seconds(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}
