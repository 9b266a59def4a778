import type { FirstScan, RouteRule, Routing } from '../../model/alert/routing.ts';
import type {
  Announcement,
  Change,
  FirstScanState,
  Target,
  TargetState,
  TrackedFinding,
} from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Gap } from '../../model/scan/gap.ts';
import { endsAlert } from '../../model/scan/transition.ts';
import type { Comparison } from '../changes.ts';
import { toldOf } from './fixable-routes.ts';
import { routeChanges } from './route-changes.ts';

/** Findings that become visible later than this are not part of the first scan. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;

/** With more hidden lockfiles and packages than this, everything counts as hidden. */
const MAX_HIDDEN = 2_000;

interface FirstScanFacts {
  /** RFC 3339. */
  readonly requestedAt: string;
  /** Whether the scan names only some of the target's lockfiles. */
  readonly partial: boolean;
  readonly gaps: readonly Gap[];
}

/** The part of a scan that belongs to the first scan of its target. */
interface FirstScanPart {
  /** How a newly opened finding is reported; `undefined`: individually. */
  announce(finding: Finding): Announcement | undefined;
  /** Stored for the next scan; `undefined` when nothing of the target is hidden. */
  readonly state: FirstScanState | undefined;
}

/**
 * The first scan of a target also includes findings of later scans that it could not see: in lockfiles that it could
 * not read, and of packages that it could not look up. These findings are reported in a summary even where the first
 * scan itself is not reported.
 */
export function firstScanPart(
  previous: TargetState | undefined,
  mode: FirstScan,
  facts: FirstScanFacts,
): FirstScanPart {
  if (mode === 'all') return { announce: () => undefined, state: undefined };
  const now = hiddenBy(facts);
  if (previous === undefined || isUnscanned(previous)) {
    return { announce: () => mode, state: stateOf(facts.requestedAt, now) };
  }
  const { since, hidden } = previous.firstScan ?? { since: '', hidden: [] };
  const isPast = !(Date.parse(facts.requestedAt) - Date.parse(since) <= MAX_AGE_MS);
  if (isPast) return { announce: () => undefined, state: undefined };
  // With partial scans, lockfiles that were judged are not hidden.
  const seen = new Set(Object.keys(previous.parts?.lockfiles ?? {}));
  const before = hidden === 'all' ? undefined : new Set(hidden);
  const isHidden = (finding: Finding) =>
    before === undefined ? !finding.locations.some(({ path }) => seen.has(path)) : wasHidden(before, finding);
  return {
    announce: (finding) => (isHidden(finding) ? 'summary' : undefined),
    state: stateOf(since, stillHidden(hidden, now)),
  };
}

/** Whether the target has a state although none of its lockfiles was scanned: its source could not be read. */
function isUnscanned({ parts }: TargetState): boolean {
  return parts !== undefined && parts.full === undefined && Object.keys(parts.lockfiles).length === 0;
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

function wasHidden(hidden: ReadonlySet<string>, { locations, package: { purl } }: Finding): boolean {
  return hidden.has(purl) || (locations.length > 0 && locations.every(({ path }) => hidden.has(path)));
}

/** Whether the change opens a finding that the summary of a first scan reports. */
export function isSummarised(change: Change | undefined): boolean {
  return change?.transition === 'opened' && change.announced === 'summary';
}

/** Routes of mode `change` for which this scan resolves the last finding of a first scan's summary. */
export async function resolvedSummaries(
  routing: Routing,
  target: Target,
  previous: readonly TrackedFinding[],
  { changes, tracked }: Pick<Comparison, 'changes' | 'tracked'>,
): Promise<readonly RouteRule[]> {
  if (!changes.some(leavesSummary)) return [];
  const before = await routesOf(routing, target, previous);
  const after = new Set(before.length === 0 ? [] : await routesOf(routing, target, tracked));
  return before.filter((rule) => rule.mode === 'change' && !after.has(rule));
}

/** Whether the change removes a finding from those that only a summary reported. */
function leavesSummary({ transition, announced }: Change): boolean {
  return (
    transition === 'worsened' ||
    transition === 'disputed' ||
    (endsAlert(transition) && announced === 'summary')
  );
}

/** Routes for the resolutions of open findings that only a summary reported. */
async function routesOf(
  routing: Routing,
  target: Target,
  tracked: readonly TrackedFinding[],
): Promise<readonly RouteRule[]> {
  const changes = tracked
    .filter(
      ({ status, announced, finding }) =>
        status === 'open' && announced === 'summary' && finding.suppressed === undefined,
    )
    .map(({ finding, worst, fixRoutes }): Change => {
      const previous = worst === undefined ? {} : { previousSeverity: worst };
      return { transition: 'resolved', finding, ...previous, ...toldOf(fixRoutes) };
    });
  return (await routeChanges(routing, target, changes)).map(({ rule }) => rule);
}
