import type { NotifiedChange } from '../../model/alert/notification.ts';
import { dueText } from '../../model/scan/age.ts';
import { disputeText } from '../../model/scan/claim.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { countedSeverity, type RatedSeverity } from '../../model/scan/severity.ts';
import { endsAlert, type Transition } from '../../model/scan/transition.ts';
import type { Alert } from './alert.ts';
import { detailsUrl, fitChanges, MAX_LINE, summaryOf, truncateText, worstSeverity } from './alert.ts';

const FIRST_SCAN = { opened: 'first scan: ', resolved: 'first-scan summary closed: ' } as const;

/** `[high] shop: 2 opened, 1 resolved`. */
export function titleOf(alert: Alert): string {
  const first = alert.firstScan === undefined ? '' : FIRST_SCAN[alert.firstScan];
  const text = openText(alert) ?? `${first}${summaryOf(alert)}`;
  return testMark(alert, `[${worstSeverity(alert)}] ${alert.target.id}: ${text}`);
}

/**
 * `12 findings are still open`, or `12 findings that are open already, for this route since its conditions changed`; `undefined` when
 * the alert is about what a scan changed.
 */
function openText({ totals: { changes }, existing, reminder }: Alert): string | undefined {
  const several = changes === 1 ? 'finding' : 'findings';
  const are = changes === 1 ? 'is' : 'are';
  if (reminder === true) return `reminder: ${changes} ${several} ${are} still open`;
  if (existing !== true) return undefined;
  return `${changes} ${several} that ${are} open already, for this route since its conditions changed`;
}

/** The text, marked when the alert is a test. */
export function testMark({ test }: Alert, text: string): string {
  return test === true ? `[test] ${text}` : text;
}

/** The title, and one line for each change. */
export function messageOf(alert: Alert): string {
  return [titleOf(alert), linesOf(alert)].filter((part) => part !== '').join('\n');
}

/** One line for each change listed, and one that counts the rest. */
export function linesOf(alert: Alert): string {
  const { changes, brief } = alert;
  const lines = changes.map((change) => (brief ? truncateText(lineOf(change), MAX_LINE) : lineOf(change)));
  const rest = leftOutText(alert.leftOut, alert);
  return (rest === '' ? lines : [...lines, rest]).join('\n');
}

/** The text of a change in parts, for receivers that format each part. */
export interface ChangeText {
  /** Id of the target, when it is not the target of the alert. */
  readonly target: string | undefined;
  readonly transition: Transition;
  readonly severity: string;
  /** The severity that it counts as. */
  readonly counted: RatedSeverity;
  readonly title: string;
  /** `name@version`. */
  readonly package: string;
  /** Why it counts again or no longer, or what its sources say where they disagree; absent for other changes. */
  readonly reason: string | undefined;
  readonly advisory: { readonly id: string; readonly url: string } | undefined;
  /** How bad it is and why, who brings the package, what to do, since when; each absent where it is not known. */
  readonly why: string | undefined;
  readonly path: string | undefined;
  readonly todo: string | undefined;
  readonly since: string | undefined;
}

export function changeText(change: NotifiedChange): ChangeText {
  const { transition, finding, target, reason } = change;
  const { name, version } = finding.package;
  const { severity, title, advisory, suppressed, disputed } = finding;
  return {
    target,
    transition,
    severity,
    counted: countedSeverity(finding),
    title,
    package: `${name}@${version}`,
    reason:
      reason ?? suppressed?.reason ?? (endsAlert(transition) ? undefined : disputed && disputeText(disputed)),
    advisory,
    ...actionTexts(change),
  };
}

/** The parts of a text after the change itself: `priority 82: …`, `via a › b`, what to do, `open since …`. */
function detailTexts({ why, path, todo, since }: ChangeText): readonly string[] {
  // The reasons of the priority name a direct dependency.
  const way = path !== undefined && why?.includes(path) === true ? undefined : path;
  return [why, way, todo, since].filter((part) => part !== undefined);
}

/** The parts below a change whose package is shown once for all of its changes. */
export function notesOf({ why, since, reason }: ChangeText): readonly string[] {
  return [why, since, reason].filter((part) => part !== undefined);
}

/**
 * `opened critical: title (package@version, GHSA-…) · priority 82: … · via a › b · upgrade …`, after the target when it is not the
 * target of the alert.
 */
export function lineOf(change: NotifiedChange): string {
  const text = changeText(change);
  return [headOf(text), ...detailTexts(text)].join(' · ');
}

/** The line with what to do, without reasons: for titles. */
export function titleLineOf(change: NotifiedChange): string {
  const text = changeText(change);
  return [headOf(text), ...(text.todo === undefined ? [] : [text.todo])].join(' · ');
}

function headOf(text: ChangeText): string {
  const { target, transition, severity, title, reason, advisory } = text;
  const prefix = target === undefined ? '' : `${target}: `;
  const all = [text.package, reason, advisory?.id].filter((part) => part !== undefined);
  return `${prefix}${transition} ${severity}: ${title} (${all.join(', ')})`;
}

/** `and 23 more changes: https://…`; empty when nothing is left out. */
export function leftOutText(leftOut: number, alert: Alert): string {
  if (leftOut === 0) return '';
  const url = detailsUrl(alert);
  return url === undefined ? moreText(leftOut) : `${moreText(leftOut)}: ${url}`;
}

/** `and 23 more changes`. */
export function moreText(leftOut: number): string {
  return `and ${leftOut} more change${leftOut === 1 ? '' : 's'}`;
}

/** `Open: 2 high, 1 low · 3 facts could not be determined`. */
export function statusText({ open, gaps }: Alert): string {
  const counts = Object.entries(open).filter(([, count]) => count > 0);
  const list = counts.map(([severity, count]) => `${count} ${severity}`).join(', ') || 'none';
  const unknown = gaps === 0 ? '' : ` · ${gaps} fact${gaps === 1 ? '' : 's'} could not be determined`;
  return `Open: ${list}${unknown}`;
}

/** The message in at most `limit` UTF-16 units: the title, whole lines, and a count of the changes left out. */
export function messageWithin(alert: Alert, limit: number): string {
  const title = truncateText(titleOf(alert), Math.floor(limit / 2));
  // The longest it can get: the count only shrinks.
  const tail = leftOutText(alert.totals.changes, alert).length + 1;
  const within = (budget: number) =>
    fitChanges(
      alert,
      (change) => truncateText(lineOf(change), MAX_LINE),
      budget - title.length,
      (line) => line.length + 1,
    );
  const whole = within(limit);
  const { kept, leftOut } = whole.leftOut === 0 ? whole : within(limit - tail);
  const rest = leftOut === 0 ? [] : [leftOutText(leftOut, alert)];
  return truncateText([title, ...kept, ...rest].join('\n'), limit);
}

type Fix = NonNullable<Finding['fixes']>[number];

/** Packages of a path that are named; the others are counted. */
const SHOWN_STEPS = 5;
const MAX_COMMAND = 200;
const MAX_TEXT = 300;

/** Texts that a person needs to act on a change; absent where they are not known. */
function actionTexts({ finding, transition, since }: NotifiedChange) {
  const isOpen = transition !== 'resolved' && transition !== 'suppressed';
  return {
    why: isOpen ? priorityText(finding) : undefined,
    path: pathText(finding),
    todo: isOpen ? todoText(finding) : undefined,
    since: isOpen ? termOf(finding, since) : since && `was open since ${since.slice(0, 10)}`,
  };
}

/** `open since 2026-02-01, due 2026-02-08`. */
function termOf(finding: Finding, since: string | undefined): string | undefined {
  const due = dueText(finding);
  if (since === undefined) return due;
  return [`open since ${since.slice(0, 10)}`, ...(due === undefined ? [] : [due])].join(', ');
}

function priorityText({ priority }: Finding): string | undefined {
  if (priority === undefined) return undefined;
  return `priority ${priority.score}: ${priority.parts.map(({ reason }) => reason).join(', ')}`;
}

/** `direct`, or `via express@4.17.1 › body-parser@1.19.0`; the package itself is not repeated. */
function pathText({ package: { direct }, locations }: Finding): string | undefined {
  const path = locations.find(({ dependencyPath }) => dependencyPath.length > 1)?.dependencyPath.slice(0, -1);
  if (direct === true || path === undefined) return direct === true ? 'direct dependency' : undefined;
  const shown =
    path.length > SHOWN_STEPS ? [...path.slice(0, SHOWN_STEPS - 1), `… (${path.length} deep)`] : path;
  return truncateText(`via ${shown.join(' › ')}`, MAX_TEXT);
}

/** The first fix of a lockfile, otherwise the advice of the rule. */
function todoText({ fixes = [], advice }: Finding): string | undefined {
  const fix = fixes.find(({ changes }) => changes.length > 0) ?? fixes[0];
  if (fix !== undefined) return fixText(fix);
  return advice === undefined ? undefined : truncateText(`to do: ${advice}`, MAX_TEXT);
}

function fixText({ kind, changes, commands, until, reason }: Fix): string {
  const [command] = commands;
  const run = command === undefined ? '' : `: ${truncateText(command, MAX_COMMAND)}`;
  const list = changes.map(({ name, from, to }) => `${name} ${from} → ${to ?? 'removed'}`).join(', ');
  const why = reason === undefined ? '' : `: ${reason}`;
  const texts: Readonly<Record<Fix['kind'], string>> = {
    'in-range': `to do: lock again (${list})${run}`,
    'upgrade-direct': `to do: upgrade ${list}${run}`,
    override: `to do: only an override (${list}) clears it${run}`,
    'held-by-pin': `held by a pin of the project${why}`,
    'held-by-cooldown': `held until ${until?.slice(0, 10) ?? 'later'}${why}`,
    none: `there is no fix${why}`,
    unknown: `it is not known whether there is a fix${why}`,
  };
  return truncateText(texts[kind], MAX_TEXT);
}
