import { LRUCache } from 'lru-cache';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { atLeast, countedSeverity } from '../../model/scan/severity.ts';
import { withPriority } from '../../policy/priority/priority.ts';
import type { Call, Operations } from '../../server/api/operation.ts';
import type { Principal } from '../../server/api/principal.ts';
import { COMPARE_FINDINGS, positionAfter } from '../../server/view/fleet-order.ts';
import type { FleetSnapshot } from '../../server/view/fleet-snapshot.ts';
import { SEARCHED, type ViewedFinding } from '../../server/view/viewed-target.ts';
import { stateOf } from '../fleet/findings.ts';
import { fitsLabels } from '../fleet/fleet-store.ts';
import { pageOf } from './page.ts';
import { labelsOf, notFound, requireSeen, type ServeContext, snapshotOf } from './serve-context.ts';
import { sinceOf } from './since.ts';

type ListParams = Call<'lockhound.findings.list'>['params'];

/** Locations of one finding that are sent. */
const MAX_LOCATIONS = 1_000;
/** Findings in remembered lists. */
const REMEMBERED = 500_000;

/** Lists are answered from memory, one finding from the state of its target. */
export function findingOperations(
  context: ServeContext,
): Pick<Operations, 'lockhound.findings.list' | 'lockhound.findings.get'> {
  const lists = new LRUCache<string, readonly ViewedFinding[]>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ length }) => length + 1,
  });
  return {
    async 'lockhound.findings.list'({ params, principal }) {
      const snapshot = snapshotOf(context);
      const { version, findingLists } = snapshot;
      const order = params.orderBy ?? 'severity';
      const method = 'lockhound.findings.list';
      const page = pageOf<FleetFinding>(context, { method, params, principal });
      // `since` may be a duration: a remembered list is then of the same second.
      const time = params.since === undefined ? '' : Math.floor(Date.now() / 1_000);
      const key = `${version} ${time} ${page.question}`;
      const list = lists.get(key) ?? selected(snapshot, findingLists[order], params, principal);
      lists.set(key, list);
      const from = page.after === undefined ? 0 : positionAfter(list, page.after, COMPARE_FINDINGS[order]);
      const findings = list.slice(from, from + page.size);
      const last = findings.at(-1);
      const isEnd = last === undefined || from + page.size >= list.length;
      const next = isEnd ? {} : { nextPageToken: page.tokenAfter(placeOf(last)) };
      return { findings, total: list.length, ...next };
    },
    async 'lockhound.findings.get'({ params: { target, fingerprint }, principal }) {
      requireSeen(principal, target);
      const { targets, targetSummaries } = context.fleet.of(target);
      const state = await targets.read(target);
      const tracked = state?.findings.find(({ finding }) => finding.fingerprint === fingerprint);
      if (tracked === undefined) throw notFound(`target ${target} has no finding ${fingerprint}`);
      const { status, openedAt, changedAt } = tracked;
      const finding = withPriority(tracked.finding);
      const places = finding.locations.length;
      const locations = finding.locations.slice(0, MAX_LOCATIONS);
      const labels = (await targetSummaries.read(target))?.labels ?? {};
      return { target, labels, status, openedAt, changedAt, places, finding: { ...finding, locations } };
    },
  };
}

type Test = (finding: ViewedFinding) => boolean;

/** The findings that fit. Only what the caller asks for is tested, because lists are long. */
function selected(
  { targets }: FleetSnapshot,
  list: readonly ViewedFinding[],
  params: ListParams,
  principal: Principal,
): readonly ViewedFinding[] {
  const tests = [...testsOf(params), ...targetTests(targets, params, principal)];
  return list.filter((one) => tests.every((fits) => fits(one)));
}

function testsOf(params: ListParams): readonly Test[] {
  const { target, rule, severity, state = 'open', ecosystem, direct = false, notes = false } = params;
  const since = sinceOf(params.since);
  const words = params.search?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  const tests: (Test | undefined)[] = [
    target === undefined ? undefined : (one) => one.target === target,
    state === 'all' ? undefined : (one) => state === stateOf(one.finding, one.status),
    notes ? undefined : (one) => one.finding.level === 'alert',
    rule === undefined ? undefined : (one) => rule.includes(one.finding.rule),
    severity === undefined ? undefined : (one) => atLeast(countedSeverity(one.finding), severity),
    ecosystem === undefined ? undefined : (one) => one.finding.package.ecosystem === ecosystem,
    direct ? (one) => one.finding.package.direct === true : undefined,
    since === undefined ? undefined : (one) => Date.parse(one.changedAt) >= since,
    ...words.map(
      (word): Test =>
        (one) =>
          one[SEARCHED].includes(word),
    ),
  ];
  return tests.filter((test) => test !== undefined);
}

/** Labels and rights are those of targets, of which there are fewer. */
function targetTests(
  targets: FleetSnapshot['targets'],
  params: ListParams,
  principal: Principal,
): readonly Test[] {
  const labels = labelsOf(params.label);
  if (labels === undefined && principal.seesAll) return [];
  const seen = new Set<string>();
  for (const [id, target] of targets) {
    if (principal.sees(id) && (labels === undefined || fitsLabels(target.labels, labels))) seen.add(id);
  }
  return [(one) => seen.has(one.target)];
}

/** What the order of findings depends on. */
function placeOf({ finding, ...one }: FleetFinding): FleetFinding {
  const { locations: _places, title: _title, advice: _advice, advisory, ...others } = finding;
  const named = advisory === undefined ? {} : { advisory: { id: advisory.id, score: advisory.score } };
  return { ...one, labels: {}, finding: { ...others, ...named } } as unknown as FleetFinding;
}
