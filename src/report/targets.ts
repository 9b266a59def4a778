import type { ListedTarget, ShownTarget } from '../model/fleet/listed-target.ts';
import type { PastScan, TargetLockfile } from '../model/fleet/target-summary.ts';
import { printable } from '../model/printable.ts';
import { SEVERITIES } from '../model/scan/severity.ts';
import { findingLines } from './findings.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from './layout.ts';
import { labelsText } from './packages.ts';
import { imageText } from './scan-parts.ts';

export interface TargetList {
  readonly targets: readonly ListedTarget[];
  /** Number of all targets that fit. */
  readonly total: number;
}

/** Scans of a target, and its findings, that are shown. */
const SHOWN_SCANS = 10;
const SHOWN_FINDINGS = 50;
const SHOWN_LOCKFILES = 50;

/** Two lines per target. */
export function targetListText({ targets, total }: TargetList, options: TextOptions): string {
  const paint = palette(options.colour);
  const lines = targets.flatMap((one) => [
    `${paint.strong(printable(one.target))}${labelsText(one.labels, paint)}`,
    ...hang('  ', factsOf(one, paint), options.width),
  ]);
  const rest = total - targets.length;
  return fitLines(
    [
      ...lines,
      ...(total === 0 ? ['No targets fit.'] : []),
      ...(rest > 0 ? [paint.faint(`… and ${rest} more: --limit shows them`)] : []),
    ],
    options,
  );
}

/** A target with its lockfiles, open findings, last scans and deliveries. */
export function targetText(shown: ShownTarget, options: TextOptions): string {
  const { target, summary, lockfiles, image, history, findings, omitted = 0, deliveries } = shown;
  const built = imageText({ image, gaps: [] });
  const paint = palette(options.colour);
  const restOf = (count: number, limit: number, what: string, where = '--json lists all') =>
    count > limit ? [paint.faint(`  … and ${count - limit} more ${what} (${where})`)] : [];
  return fitLines(
    [
      `${paint.strong(printable(target))}${summary === undefined ? '' : labelsText(summary.labels, paint)}`,
      ...(summary === undefined ? [] : hang('  ', factsOf(summary, paint), options.width)),
      ...lockfiles.slice(0, SHOWN_LOCKFILES).map((file) => lockfileLine(file, paint)),
      ...restOf(lockfiles.length, SHOWN_LOCKFILES, 'lockfiles'),
      ...(built === undefined ? [] : hang('  ', printable(built), options.width)),
      ...findings.slice(0, SHOWN_FINDINGS).flatMap((one) => findingLines(one, paint, options.width)),
      ...restOf(
        findings.length + omitted,
        SHOWN_FINDINGS,
        'findings',
        `\`findings --target ${printable(target)}\` lists all`,
      ),
      ...history.slice(0, SHOWN_SCANS).map((scan) => scanLine(scan, paint)),
      ...restOf(history.length, SHOWN_SCANS, 'scans'),
      ...deliveries.map(
        ({ id, route, state, updatedAt }) =>
          `  alert ${printable(id)}  route ${printable(route)}  ${state === 'failed' ? paint.bad(state) : state}  ${paint.faint(updatedAt)}`,
      ),
    ],
    options,
  );
}

export function forgottenTargetText(
  {
    target,
    lockfiles,
    inventories,
    digestEntries,
    releases = 0,
    unreadable,
  }: {
    readonly target: string;
    readonly lockfiles: number;
    readonly inventories: number;
    readonly digestEntries: number;
    readonly releases?: number;
    readonly unreadable: readonly string[];
  },
  options: TextOptions,
): string {
  const paint = palette(options.colour);
  const shared =
    lockfiles > inventories ? ` (${inventories} stored inventories; other targets share the others)` : '';
  return fitLines(
    [
      `${paint.strong(printable(target))} is removed: its state, ${releases === 0 ? '' : `${counted(releases, 'release')}, `}${counted(lockfiles, 'lockfile')}${shared}` +
        `${digestEntries === 0 ? '' : `, ${counted(digestEntries, 'scan')} waiting for a digest`}.`,
      'Alerts under way are still delivered. Records of scans and deliveries, and the log of changes, expire on their own.',
      ...unreadable.map((message) => paint.bad(`Not read: ${printable(message)}`)),
    ],
    options,
  );
}

function factsOf(one: ListedTarget, paint: Palette): string {
  const open = SEVERITIES.filter((severity) => (one.open[severity] ?? 0) > 0).map((severity) =>
    paint.severity(severity, `${one.open[severity]} ${severity}`),
  );
  return [
    open.length === 0 ? 'no open findings' : open.join(', '),
    `${counted(one.packages, 'package')} in ${counted(one.lockfiles, 'lockfile')}`,
    ...releaseFacts(one.release, paint),
    ...(one.incomplete ? [paint.bad('incomplete')] : []),
    ...(one.stale ? [paint.bad('stale')] : []),
    paint.faint(`scanned ${printable(one.requestedAt)}`),
  ].join('; ');
}

function releaseFacts(release: ListedTarget['release'], paint: Palette): readonly string[] {
  if (release === undefined) return [];
  const { target, release: name, supportedUntil, supported } = release;
  const known = `release ${printable(name)} of ${printable(target)}`;
  if (supportedUntil === undefined) return [known];
  return supported
    ? [`${known}, supported until ${supportedUntil}`]
    : [`${known}, ${paint.bad(`not judged since its support ended on ${supportedUntil}`)}`];
}

function lockfileLine({ path, sha256, unread }: TargetLockfile, paint: Palette): string {
  const name = `  ${printable(path)}`;
  if (unread === undefined) return `${name}  ${paint.faint(sha256?.slice(0, 12) ?? '')}`;
  const message = unread.message.startsWith(`${path}:`)
    ? unread.message.slice(path.length + 1).trimStart()
    : unread.message;
  return `${name}  ${paint.bad('not read')}: ${printable(message)}`;
}

function scanLine(
  { scan, requestedAt, changes = {}, gaps = 0, unchanged, refreshed }: PastScan,
  paint: Palette,
): string {
  const facts = [
    ...Object.entries(changes).map(([transition, count]) => `${count} ${transition}`),
    ...(gaps === 0 ? [] : [counted(gaps, 'gap')]),
    ...(unchanged === true ? ['unchanged lockfiles'] : []),
    ...(refreshed === true ? ['refresh'] : []),
  ];
  return `  ${paint.faint(`${requestedAt}  ${printable(scan)}`)}  ${facts.length === 0 ? 'no changes' : facts.join(', ')}`;
}
