import type { PackageVersion, PackageVersions } from '../../model/api/lockhound-api.generated.ts';
import { printable } from '../../model/printable.ts';
import { columns, counted, fitLines, hang, type Palette, palette, type TextOptions } from '../layout.ts';

/** A target that locked other versions of a package than before. */
export interface PackageMove {
  readonly target: string;
  readonly took: readonly string[];
  readonly left: readonly string[];
}

/** The changes of targets until a time, with the versions of the package then. */
export interface PackageMoves extends Pick<PackageVersions, 'versions'> {
  /** RFC 3339. */
  readonly at: string;
  readonly moves: readonly PackageMove[];
}

/** Versions, and targets, that are shown. */
const SHOWN_VERSIONS = 20;
const SHOWN_TARGETS = 20;
/** Below this width each version has its times on a line of their own. */
const NARROW = 72;

/** The versions of a package in the fleet, and the targets that hold earlier versions than the one that was seen last. */
export function followedText(found: PackageVersions, query: string, options: TextOptions): string {
  const { versions, targets, similar } = found;
  const paint = palette(options.colour);
  if (versions.length === 0) {
    const names = similar.length === 0 ? [] : [`Similar names: ${similar.map(printable).join(', ')}`];
    return fitLines([`No target holds ${printable(query)}.`, ...names], options);
  }
  const shown = versions.slice(0, SHOWN_VERSIONS);
  return fitLines(
    [
      `${paint.strong(printable(query))}: ${counted(versions.length, 'version')}, ${counted(targets.length, 'target')}`,
      '',
      ...versionLines(shown, paint, options),
      ...rest(versions.length - shown.length, 'versions', paint),
      '',
      ...heldBackLines(found, paint, options),
      ...projectLines(found.projects, paint, options),
    ],
    options,
  );
}

/** One line for each target that changed, then the number of targets of each version that was taken. */
export function moveLines({ at, moves, versions }: PackageMoves, options: TextOptions): string {
  const paint = palette(options.colour);
  const taken = new Set(moves.flatMap(({ took }) => took));
  const counts = versions.flatMap(({ purl, targets }) =>
    taken.has(purl) ? [`${printable(purl)} is in ${counted(targets, 'target')}`] : [],
  );
  return fitLines(
    [
      ...moves.map(({ target, took, left }) => {
        const parts = [
          ...(took.length === 0 ? [] : [`took ${took.map(printable).join(', ')}`]),
          ...(left.length === 0 ? [] : [`left ${left.map(printable).join(', ')}`]),
        ];
        return `${paint.faint(timeText(at))}  ${paint.strong(printable(target))}  ${parts.join('; ')}`;
      }),
      ...(counts.length === 0 ? [] : [`  ${paint.faint(counts.join('; '))}`]),
    ],
    options,
  );
}

function versionLines(
  versions: readonly PackageVersion[],
  paint: Palette,
  { width }: TextOptions,
): readonly string[] {
  if (width < NARROW) {
    return versions.flatMap((one) => [
      `${paint.strong(printable(one.version))}  ${counted(one.targets, 'target')}`,
      ...hang('  ', `first seen ${seenText(one)}`, width),
      ...hang('  ', `published ${publishedText(one)}`, width),
      ...(one.signals.length === 0 ? [] : hang('  ', signalText(one, paint), width)),
    ]);
  }
  return columns(
    [
      ['version', 'first seen', 'published', 'targets', 'signals'].map((name) => paint.faint(name)),
      ...versions.map((one) => [
        paint.strong(printable(one.version)),
        seenText(one),
        publishedText(one),
        String(one.targets),
        signalText(one, paint),
      ]),
    ],
    { width },
  );
}

/** Targets without the version that was seen last. */
function heldBackLines(
  { versions, targets }: PackageVersions,
  paint: Palette,
  { width }: TextOptions,
): readonly string[] {
  const [last] = versions;
  if (last === undefined || targets.length === 0) return ['No target holds it now.'];
  const others = targets.filter(({ purls }) => !purls.includes(last.purl));
  const took = targets.length - others.length;
  const summary = `${counted(took, 'target')} took ${printable(last.version)}, ${others.length} held back`;
  if (others.length === 0) return [`${summary}.`];
  const byPurl = new Map(versions.map(({ purl, version }) => [purl, version]));
  return [
    `${summary}:`,
    ...others
      .slice(0, SHOWN_TARGETS)
      .flatMap(({ target, purls }) =>
        hang(
          `  ${paint.strong(printable(target))}  `,
          purls.map((purl) => printable(byPurl.get(purl) ?? purl)).join(', '),
          width,
        ),
      ),
    ...rest(others.length - SHOWN_TARGETS, 'targets', paint),
  ];
}

/** The lines about the scorecards of the source projects. */
function projectLines(
  projects: PackageVersions['projects'],
  paint: Palette,
  { width }: TextOptions,
): readonly string[] {
  const lines = projects.flatMap(({ id, scorecard, fell }) => {
    const score =
      scorecard === undefined
        ? paint.faint('no scorecard')
        : `scorecard ${scorecard.overall} of 10 (${printable(scorecard.date.slice(0, 10))})`;
    const text = fell === undefined ? score : `${score}; ${paint.bad(`fell: ${printable(fell)}`)}`;
    return hang(`  ${paint.strong(printable(id))}  `, text, width);
  });
  return lines.length === 0 ? [] : ['', 'Built from:', ...lines];
}

function rest(count: number, what: string, paint: Palette): readonly string[] {
  return count > 0 ? [paint.faint(`… and ${count} more ${what} (--json lists all)`)] : [];
}

function seenText({ firstSeenAt }: PackageVersion): string {
  return firstSeenAt === undefined ? 'not recorded' : timeText(firstSeenAt);
}

function publishedText({ publishedAt }: PackageVersion): string {
  return publishedAt === undefined ? 'not known' : timeText(publishedAt);
}

function signalText({ signals, score }: PackageVersion, paint: Palette): string {
  if (signals.length === 0) return '–';
  const text = `${signals.map(printable).join(', ')} (${score})`;
  return score > 0 ? paint.bad(text) : text;
}

/** `2026-03-31 00:21`, in UTC. */
function timeText(time: string): string {
  return printable(new Date(time).toISOString().slice(0, 16).replace('T', ' '));
}
