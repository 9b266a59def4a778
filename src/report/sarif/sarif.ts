import { createHash } from 'node:crypto';
import type { Location, Notification, Result, Run, Suppression, ThreadFlow } from 'sarif';
import { packageVersion } from '../../files/package-file.ts';
import { defined } from '../../model/defined.ts';
import type { ScanComparison } from '../../model/review/scan-comparison.ts';
import { disputeText } from '../../model/scan/claim.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { type Gap, mayHide } from '../../model/scan/gap.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { suppressionText } from '../finding-parts.ts';
import { listParts, openedObject } from '../json.ts';
import { subjectOf } from '../review/comparison-text.ts';
import { levelOf, ruleId, rulesOf } from './rules.ts';
import { sarifText } from './text.ts';

/** Code scanning accepts at most this many results in a run; the worst come first. */
const MAX_RESULTS = 25_000;
/** Gaps, and gone findings, that are listed as notifications. */
const MAX_NOTIFICATIONS = 1_000;
const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/**
 * The scan as SARIF 2.1.0 (OASIS), in the subset that code scanning reads: one rule for each advisory or kind of finding, one
 * result for each place of a finding with its line, the dependency path as a code flow, and gaps as notifications. The same
 * report gives the same bytes. Returned in parts, because the results of a large scan take several megabytes.
 */
export function* renderSarif({ inventory, verdict, comparison }: ScanReport): Generator<string> {
  const places = verdict.findings.flatMap(placesOf);
  const listed = places.slice(0, MAX_RESULTS);
  const rules = rulesOf(listed.map(({ finding }) => finding));
  const indexes = new Map([...rules.keys()].map((id, index) => [id, index]));
  const hasSuppressed = listed.some(({ finding }) => finding.suppressed !== undefined);
  const run: Omit<Run, 'results'> = {
    tool: {
      driver: {
        name: 'Lockhound',
        semanticVersion: packageVersion(),
        rules: [...rules.values()],
      },
    },
    automationDetails: { id: `lockhound/${verdict.target.id}/` },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: verdict.complete,
        toolExecutionNotifications: [
          ...notificationsOf(verdict.gaps, gapNotification, 'gaps'),
          ...notificationsOf(comparison?.gone ?? [], goneNotification, 'findings that are gone'),
          ...restNotification(places.length - listed.length, 'places of findings, the least severe ones,'),
        ],
      },
    ],
  };
  yield `{"$schema":"${SCHEMA}","version":"2.1.0","runs":[${openedObject(run)},"results":`;
  yield* listParts(listed, resultMaker(inventory, indexes, { hasSuppressed, comparison }));
  yield '}]}\n';
}

/** A notification of each entry as far as they are listed, and one about the others. */
function notificationsOf<Entry>(
  entries: readonly Entry[],
  notificationOf: (entry: Entry) => Notification,
  what: string,
): Notification[] {
  const listed = entries.slice(0, MAX_NOTIFICATIONS).map(notificationOf);
  return [...listed, ...restNotification(entries.length - listed.length, what)];
}

function restNotification(rest: number, what: string): Notification[] {
  if (rest <= 0) return [];
  const text = `${rest} more ${what} are not listed: the JSON report has all`;
  return [{ level: 'warning', descriptor: { id: 'gap/cut' }, message: { text } }];
}

function gapNotification(gap: Gap): Notification {
  return {
    level: mayHide(gap) ? 'warning' : 'note',
    descriptor: { id: `gap/${gap.kind}` },
    message: { text: sarifText(`${gap.subject}: ${gap.reason}`) },
  };
}

/**
 * The notification of a finding that is gone, which is no result with the state `absent`: code scanning ignores states, and would show it
 * as an alert.
 */
function goneNotification(finding: Finding): Notification {
  return {
    level: 'note',
    descriptor: { id: 'finding/gone' },
    message: { text: sarifText(`gone: ${subjectOf(finding)}`) },
  };
}

/** Code scanning shows this many results; others have no code flow, which is most of the size of a result. */
const MAX_FLOWS = 5_000;
/** Name of our fingerprint; its number changes when its meaning does. */
const FINGERPRINT = 'lockhound/finding/v1';

/** A place of a finding: one result each, so that every entry of a lockfile has its own alert. */
export interface Place {
  readonly finding: Finding;
  readonly location: Finding['locations'][number] | undefined;
}

export function placesOf(finding: Finding): readonly Place[] {
  if (finding.locations.length === 0) return [{ finding, location: undefined }];
  return finding.locations.map((location) => ({ finding, location }));
}

/** Returns the function that makes the results of a scan, in their order. `indexes`: positions of the rules by id. */
function resultMaker(
  inventory: ScanReport['inventory'],
  indexes: ReadonlyMap<string, number>,
  {
    hasSuppressed,
    comparison,
  }: { readonly hasSuppressed: boolean; readonly comparison?: ScanComparison | undefined },
): (place: Place) => Result {
  const introduced = new Set(comparison?.introduced);
  const fingerprintOf = createFingerprints();
  const lineOf = linesOf(inventory);
  let made = 0;
  return (place) => {
    made += 1;
    return {
      ...resultOf(place, indexes.get(ruleId(place.finding)) ?? -1, fingerprintOf(place)),
      ...(hasSuppressed ? { suppressions: suppressionsOf(place.finding) } : {}),
      ...(comparison === undefined
        ? {}
        : { baselineState: introduced.has(place.finding.fingerprint) ? 'new' : 'unchanged' }),
      ...(made > MAX_FLOWS ? {} : codeFlowsOf(place, lineOf)),
    };
  };
}

function resultOf({ finding, location }: Place, ruleIndex: number, fingerprint: string): Result {
  const { name, version, purl, direct, groups } = finding.package;
  const { age, due } = finding;
  const path = location?.dependencyPath ?? [];
  const via = path.length > 1 ? `, required by ${path.slice(0, -1).join(' > ')}` : '';
  const advice = finding.advice === undefined ? '' : ` ${finding.advice}`;
  const disputed = finding.disputed === undefined ? '' : ` (${disputeText(finding.disputed)})`;
  return {
    ruleId: ruleId(finding),
    ruleIndex,
    level: levelOf(finding),
    message: { text: sarifText(`${name}@${version}: ${finding.title}${via}${disputed}.${advice}`) },
    locations: location === undefined ? [] : [locationOf(location.path, location.line)],
    partialFingerprints: { [FINGERPRINT]: fingerprint },
    properties: {
      purl,
      severity: finding.severity,
      direct: direct ?? null,
      groups: [...groups],
      ...defined({ age, due }),
    },
  };
}

/** In a run, either all results have the property or none (§3.27.23). */
function suppressionsOf({ suppressed }: Finding): Suppression[] {
  if (suppressed === undefined) return [];
  return [{ kind: 'external', status: 'accepted', justification: sarifText(suppressionText(suppressed)) }];
}

/** A line of a lockfile by the id of its package. */
type LineOf = (path: string, id: string) => number | undefined;

function linesOf({ lockfiles }: ScanReport['inventory']): LineOf {
  const byPath = new Map<string, ReadonlyMap<string, number | undefined>>();
  return (path, id) => {
    const file = lockfiles.find((one) => one.path === path);
    const known = byPath.get(path) ?? new Map((file?.packages ?? []).map((one) => [one.id, one.line]));
    byPath.set(path, known);
    return known.get(id);
  };
}

/** The packages from a direct dependency down to the one that the finding is about. */
function codeFlowsOf({ location }: Place, lineOf: LineOf): Pick<Result, 'codeFlows'> {
  if (location === undefined || location.dependencyPath.length < 2) return {};
  const flow: ThreadFlow = {
    locations: location.dependencyPath.map((id) => ({
      location: { ...locationOf(location.path, lineOf(location.path, id)), message: { text: sarifText(id) } },
    })),
  };
  return { codeFlows: [{ threadFlows: [flow] }] };
}

/** Code scanning requires a line. */
function locationOf(path: string, line = 1): Location {
  return {
    physicalLocation: {
      artifactLocation: {
        uri: path.toWellFormed().split('/').map(encodeURIComponent).join('/'),
        uriBaseId: '%SRCROOT%',
      },
      region: { startLine: Math.max(line, 1) },
    },
  };
}

/**
 * A fingerprint that stays when the package is upgraded to another affected version, and when lines move: rule, package,
 * issue and lockfile. Several versions of a package in one lockfile are numbered.
 */
function createFingerprints(): (place: Place) => string {
  const uses = new Map<string, number>();
  return ({ finding, location }) => {
    const { ecosystem, name } = finding.package;
    const subject = JSON.stringify([
      finding.rule,
      ecosystem,
      name,
      finding.advisory?.id ?? '',
      location?.path ?? '',
    ]);
    const count = (uses.get(subject) ?? 0) + 1;
    uses.set(subject, count);
    return createHash('sha256').update(`${subject}#${count}`).digest('hex').slice(0, 32);
  };
}
