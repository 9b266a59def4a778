import type { FirstScan, RouteRule, Routing } from '../model/alert/routing.ts';
import type {
  Announcement,
  Change,
  FirstScanState,
  TargetState,
  TrackedFinding,
} from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Target } from '../model/scan/target.ts';
import type { Gap } from '../model/scan/verdict.ts';
import type { Comparison } from './changes.ts';
import { routeChanges } from './route-changes.ts';

/** What scans cannot see after this time has nothing to do with the first scan any more. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/** With more than this hidden, everything is taken as hidden. */
const MAX_HIDDEN = 2_000;

export interface FirstScanFacts {
  /** RFC 3339. */
  readonly requestedAt: string;
  /** Whether the scan names only some of the target's lockfiles. */
  readonly partial: boolean;
  readonly gaps: readonly Gap[];
}

/** What a scan has to do with the target's first one. */
export interface FirstScanPart {
  /** How a finding is told that opens now; `undefined`: by itself. */
  announce(finding: Finding): Announcement | undefined;
  /** What is remembered for the next scan; `undefined` when nothing of the target is hidden any more. */
  readonly state: FirstScanState | undefined;
}

/**
 * All that a target's first scan finds belongs to it, and what later ones find behind gaps that have been there since: in
 * lockfiles that could not be read, of packages that could not be looked up. That is told in a summary also where the first
 * scan itself is not told at all: it may be weeks later.
 */
export function firstScanPart(
  previous: TargetState | undefined,
  mode: FirstScan,
  facts: FirstScanFacts,
): FirstScanPart {
  if (mode === 'all') return { announce: () => undefined, state: undefined };
  const now = hiddenBy(facts);
  if (previous === undefined) {
    return { announce: () => mode, state: stateOf(facts.requestedAt, now) };
  }
  const { since, hidden } = previous.firstScan ?? { since: '', hidden: [] };
  const over = !(Date.parse(facts.requestedAt) - Date.parse(since) <= LONGEST_MS);
  if (over) return { announce: () => undefined, state: undefined };
  // Of a target whose scans name only some of its lockfiles, those that were judged are not hidden.
  const seen = new Set(Object.keys(previous.parts?.lockfiles ?? {}));
  const before = hidden === 'all' ? undefined : new Set(hidden);
  const isHidden = (finding: Finding) =>
    before === undefined ? !finding.locations.some(({ path }) => seen.has(path)) : isBehind(before, finding);
  return {
    announce: (finding) => (isHidden(finding) ? 'summary' : undefined),
    state: stateOf(since, stillHidden(hidden, now)),
  };
}

function stillHidden(
  before: FirstScanState['hidden'],
  now: FirstScanState['hidden'],
): FirstScanState['hidden'] {
  if (before === 'all') return now;
  if (now === 'all') return before;
  const left = new Set(now);
  return before.filter((subject) => left.has(subject));
}

function stateOf(since: string, hidden: FirstScanState['hidden']): FirstScanState | undefined {
  return hidden.length === 0 ? undefined : { since, hidden };
}

/** Gaps whose subject is a lockfile or a package. */
const HIDING_SUBJECTS: ReadonlySet<Gap['kind']> = new Set(['lockfile', 'package', 'rule']);

/** Lockfiles and packages that a scan could not see. */
function hiddenBy({ partial, gaps }: FirstScanFacts): FirstScanState['hidden'] {
  const hidden = gaps.flatMap(({ kind, subject }) => {
    if (kind === 'entry') return subject.replace(/:\d+$/, '');
    return HIDING_SUBJECTS.has(kind) ? subject : [];
  });
  const subjects = [...new Set(hidden)];
  return partial || subjects.length > MAX_HIDDEN ? 'all' : subjects;
}

function isBehind(hidden: ReadonlySet<string>, { locations, package: { purl } }: Finding): boolean {
  return hidden.has(purl) || (locations.length > 0 && locations.every(({ path }) => hidden.has(path)));
}

/** Whether the change opens a finding that is told together with the others of a first scan. */
export function isSummarised(change: Change | undefined): boolean {
  return change?.transition === 'opened' && change.announced === 'summary';
}

/** Routes of mode `change` for which the last finding of a first scan's summary is over with this scan. */
export async function summariesOver(
  routing: Routing,
  target: Target,
  before: readonly TrackedFinding[],
  { changes, tracked: after }: Pick<Comparison, 'changes' | 'tracked'>,
): Promise<readonly RouteRule[]> {
  if (!changes.some(leavesSummary)) return [];
  const told = await routesOf(routing, target, before);
  const still = new Set(told.length === 0 ? [] : await routesOf(routing, target, after));
  return told.filter((rule) => rule.mode === 'change' && !still.has(rule));
}

/** Whether the finding is no longer one of those that were told in a summary only, as far as the change shows. */
function leavesSummary({ transition, announced }: Change): boolean {
  return transition === 'worsened' || (transition === 'resolved' && announced === 'summary');
}

/** Routes that take the resolution of a finding that is open and was told in a summary. */
async function routesOf(
  routing: Routing,
  target: Target,
  tracked: readonly TrackedFinding[],
): Promise<readonly RouteRule[]> {
  const changes = tracked
    .filter(({ status, announced }) => status === 'open' && announced === 'summary')
    .map(({ finding, worst }): Change => {
      return { transition: 'resolved', finding, ...(worst === undefined ? {} : { previousSeverity: worst }) };
    });
  return (await routeChanges(routing, target, changes)).map(({ rule }) => rule);
}
