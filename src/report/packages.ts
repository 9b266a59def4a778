import type {
  HeldPackage,
  HeldPeriod,
  LedgerPoint,
  OtherVersions,
} from '../model/api/lockhound-api.generated.ts';
import { printable } from '../model/printable.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from './layout.ts';

export interface WhereList {
  /** The package that was asked for, in the words of the caller. */
  readonly query: string;
  /** Purls. */
  readonly versions: readonly string[];
  readonly targets: number;
  readonly lockfiles: number;
  readonly places: readonly HeldPackage[];
  readonly otherVersions: OtherVersions;
  readonly similar: readonly string[];
  readonly notCompared: readonly string[];
}

export interface PeriodList extends Pick<WhereList, 'query' | 'targets' | 'notCompared' | 'similar'> {
  readonly periods: readonly HeldPeriod[];
  /** Number of targets whose ledger does not reach back far enough. */
  readonly notKnown: number;
  /** Targets that got rid of it fast enough, and are left out. */
  readonly fixedInTime?: number | undefined;
}

/** The periods in which targets held a package. */
export function periodsText(list: PeriodList, options: TextOptions): string {
  const { query, targets, periods, notKnown, fixedInTime = 0 } = list;
  const paint = palette(options.colour);
  const byTarget = Map.groupBy(periods, ({ target }) => target);
  const what =
    targets === 0
      ? `No ${fixedInTime === 0 ? '' : 'other '}target is known to have held`
      : `${paint.strong(counted(targets, 'target'))} held`;
  const fixed = fixedInTime === 0 ? [] : [`${counted(fixedInTime, 'target')} got rid of it in time.`];
  return fitLines(
    [
      ...Array.from(byTarget.values(), (own) => [
        `${paint.strong(printable(own[0]?.target ?? ''))}${labelsText(own[0]?.labels ?? {}, paint)}`,
        ...own.flatMap((period) => periodLines(period, paint, options.width)),
        '',
      ]).flat(),
      ...(byTarget.size < targets
        ? [paint.faint(`… and ${counted(targets - byTarget.size, 'more target')}: --limit shows them`), '']
        : []),
      `${what} ${printable(query)} in this time.`,
      ...fixed,
      ...(notKnown === 0
        ? []
        : [
            `Not known for all of this time: ${counted(notKnown, 'target')}, whose first recorded scan is later.`,
          ]),
      ...similarLines(list),
      ...notComparedLines(list),
    ],
    options,
  );
}

export function periodLines(period: HeldPeriod, paint: Palette, width: number): readonly string[] {
  const { name, version, lockfile, direct, through, from, until, notKnownBefore, notKnownAfter } = period;
  const use = direct === true ? '  direct' : through === undefined ? '' : `  through ${printable(through)}`;
  const begin =
    from !== undefined
      ? `from ${pointText(from)}`
      : `not known before ${notKnownBefore === undefined ? 'its last scan' : notKnownBefore}`;
  const end =
    until !== undefined
      ? `until ${pointText(until)}`
      : notKnownAfter === undefined
        ? 'until now'
        : `not known after ${notKnownAfter}`;
  const head = `${paint.strong(printable(`${name}@${version}`))}  ${paint.faint(printable(lockfile))}${use}`;
  return [...hang('  ', head, width), ...hang('    ', `${begin}, ${end}`, width)];
}

/** The time of a scan, with the commit that it read. */
export function pointText({ at, commit, committedAt }: LedgerPoint): string {
  if (commit === undefined) return at;
  const made = committedAt === undefined ? '' : ` of ${committedAt}`;
  return `${at} (commit ${printable(commit.slice(0, 12))}${made})`;
}

const SHOWN_VERSIONS = 10;

/** The places of a package, by target: version and lockfile, how it is used, and its dependency path. */
export function whereText(list: WhereList, options: TextOptions): string {
  const { query, places, targets, lockfiles } = list;
  const paint = palette(options.colour);
  const byTarget = Map.groupBy(places, ({ target }) => target);
  const shown = new Set(places.map(({ target, lockfile }) => JSON.stringify([target, lockfile]))).size;
  const summary =
    targets === 0
      ? [`No target holds ${printable(query)}.`, ...otherLines(list), ...similarLines(list)]
      : [
          `${paint.strong(counted(targets, 'target'))} with ${printable(query)} in ${counted(lockfiles, 'lockfile')}: ${versionsText(list.versions)}`,
        ];
  return fitLines(
    [
      ...Array.from(byTarget.values(), (own) => targetLines(own, paint, options.width)).flat(),
      ...(shown > 0 && shown < lockfiles
        ? [paint.faint(`… and ${lockfiles - shown} more lockfiles: --limit shows them`), '']
        : []),
      ...summary,
      ...notComparedLines(list),
    ],
    options,
  );
}

/** Names of ecosystems whose versions could not be compared. */
export function notComparedLines({
  query,
  notCompared,
}: Pick<WhereList, 'query' | 'notCompared'>): readonly string[] {
  if (notCompared.length === 0) return [];
  return [
    `Not compared: packages of that name of ${notCompared.map(printable).join(', ')}, for which "${printable(query)}" has no ` +
      'version or range that is understood. State one exact version, or --ecosystem.',
  ];
}

function targetLines(places: readonly HeldPackage[], paint: Palette, width: number): readonly string[] {
  const [first] = places;
  if (first === undefined) return [];
  return [
    `${paint.strong(printable(first.target))}${labelsText(first.labels, paint)}`,
    ...places.flatMap((place) => placeLines(place, paint, width)),
    '',
  ];
}

function placeLines(place: HeldPackage, paint: Palette, width: number): readonly string[] {
  const { name, version, lockfile, line, groups, direct, dependencyPath, outcome } = place;
  const where = line === undefined ? lockfile : `${lockfile}:${line}`;
  const use = [
    ...(direct === undefined ? [] : [direct ? 'direct' : 'indirect']),
    ...groups,
    ...(outcome === undefined ? [] : [outcome]),
  ].map(printable);
  const head = `${paint.strong(printable(`${name}@${version}`))}  ${paint.faint(printable(where))}${use.length === 0 ? '' : `  ${use.join(', ')}`}`;
  const path =
    dependencyPath.length > 1 ? hang('    ', paint.faint(printable(dependencyPath.join(' › '))), width) : [];
  return [...hang('  ', head, width), ...path];
}

/** Labels after the id of a target. */
export function labelsText(labels: Readonly<Record<string, string>>, paint: Palette): string {
  const texts = Object.entries(labels).map(([name, value]) => printable(`${name}=${value}`));
  return texts.length === 0 ? '' : `  ${paint.faint(texts.join(' '))}`;
}

/** The lines about other versions that targets hold when none holds a version that was asked for. */
function otherLines({ otherVersions: { targets, count, newest } }: WhereList): readonly string[] {
  if (count === 0) return [];
  const what = count === 1 ? 'another version' : `${count} other versions`;
  return [`${counted(targets, 'target')} with ${what} of it: ${versionsText(newest, count)}`];
}

function versionsText(versions: readonly string[], count = versions.length): string {
  const shown = versions.slice(0, SHOWN_VERSIONS).map(printable);
  const rest = count - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${counted(rest, 'more version')}`] : [])].join(', ');
}

function similarLines({ similar }: Pick<WhereList, 'similar'>): readonly string[] {
  return similar.length === 0 ? [] : [`Similar names: ${similar.map(printable).join(', ')}`];
}
