import { LRUCache } from 'lru-cache';
import { RATED_SEVERITIES } from '../../model/scan/severity.ts';
import type { Call } from '../../server/api/operation.ts';
import { questionOf } from '../../server/api/page-token.ts';
import type { Principal } from '../../server/api/principal.ts';
import type { FindingOrder } from '../../server/view/fleet-order.ts';
import type { FleetSnapshot } from '../../server/view/fleet-snapshot.ts';
import { RANK, SEARCHED, type ViewedFinding } from '../../server/view/viewed-target.ts';
import { stateOf } from '../fleet/findings.ts';
import { labelTest } from '../fleet/fleet-store.ts';
import { labelsOf, type ServeContext, snapshotOf } from './serve-context.ts';
import { sinceOf } from './since.ts';

/** What decides which findings fit. */
export type FindingFilters = Call<'lockhound.findings.count'>['params'];

/** Findings in remembered lists. */
const REMEMBERED = 500_000;

/** Returns a function that selects findings from memory. The last lists are remembered until the fleet changes. */
export function openFindingSelection(context: Pick<ServeContext, 'view'>) {
  const lists = new LRUCache<string, readonly ViewedFinding[]>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ length }) => length + 1,
  });
  return (filters: FindingFilters, order: FindingOrder, principal: Principal): readonly ViewedFinding[] => {
    const snapshot = snapshotOf(context);
    const question = questionOf(order, { ...filters, orderBy: undefined }, principal.scope);
    // `since` may be a duration: a remembered list is then of the same second.
    const time = filters.since === undefined ? '' : Math.floor(Date.now() / 1_000);
    const key = `${snapshot.version} ${time} ${question}`;
    const list = lists.get(key) ?? selected(snapshot, snapshot.findingLists[order], filters, principal);
    lists.set(key, list);
    return list;
  };
}

type Test = (finding: ViewedFinding) => boolean;

/** The findings that fit. Only what the caller asks for is tested, because lists are long. */
function selected(
  { targets }: FleetSnapshot,
  list: readonly ViewedFinding[],
  filters: FindingFilters,
  principal: Principal,
): readonly ViewedFinding[] {
  const { state = 'open', notes = false } = filters;
  const isUsual = state === 'open' && !notes;
  const tests = [
    ...(isUsual ? [] : stateTests(state, notes)),
    ...testsOf(filters),
    ...packageTests(filters),
    ...searchTests(filters),
    ...targetTests(targets, filters, principal),
  ];
  const candidates = isUsual ? openAlertsIn(list) : list;
  return tests.length === 0 ? candidates : candidates.filter((one) => tests.every((fits) => fits(one)));
}

/** The open alerts of each list. Most questions are about them alone. */
const openAlerts = new WeakMap<readonly ViewedFinding[], readonly ViewedFinding[]>();

function openAlertsIn(list: readonly ViewedFinding[]): readonly ViewedFinding[] {
  const known = openAlerts.get(list);
  if (known !== undefined) return known;
  const tests = stateTests('open', false);
  const found = list.filter((one) => tests.every((fits) => fits(one)));
  openAlerts.set(list, found);
  return found;
}

function stateTests(state: FindingFilters['state'], notes: boolean): readonly Test[] {
  const tests: (Test | undefined)[] = [
    state === 'all' ? undefined : (one) => state === stateOf(one.finding, one.status),
    notes ? undefined : (one) => one.finding.level === 'alert',
  ];
  return tests.filter((test) => test !== undefined);
}

function testsOf(filters: FindingFilters): readonly Test[] {
  const { target, rule, severity } = filters;
  const since = sinceOf(filters.since);
  const rank = severity === undefined ? 0 : RATED_SEVERITIES.indexOf(severity);
  const tests: (Test | undefined)[] = [
    target === undefined ? undefined : (one) => one.target === target,
    rule === undefined ? undefined : (one) => rule.includes(one.finding.rule),
    severity === undefined ? undefined : (one) => one[RANK] <= rank,
    since === undefined ? undefined : (one) => Date.parse(one.changedAt) >= since,
  ];
  return tests.filter((test) => test !== undefined);
}

function packageTests({ ecosystem, package: purl, direct = false }: FindingFilters): readonly Test[] {
  const tests: Test[] = [];
  if (ecosystem !== undefined) tests.push((one) => one.finding.package.ecosystem === ecosystem);
  if (direct) tests.push((one) => one.finding.package.direct === true);
  if (purl !== undefined) {
    // The version of a purl follows its only unencoded `@`.
    const anyVersion = `${purl}@`;
    tests.push(({ finding: { package: own } }) => own.purl === purl || own.purl.startsWith(anyVersion));
  }
  return tests;
}

function searchTests({ advisory, search }: FindingFilters): readonly Test[] {
  const words = search?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  const tests = words.map(
    (word): Test =>
      (one) =>
        one[SEARCHED].includes(word),
  );
  if (advisory === undefined) return tests;
  const names = ({ finding }: ViewedFinding) => finding.advisory;
  return [...tests, (one) => names(one)?.id === advisory || names(one)?.aliases.includes(advisory) === true];
}

/** Labels and rights are those of targets, of which there are fewer. */
function targetTests(
  targets: FleetSnapshot['targets'],
  filters: FindingFilters,
  principal: Principal,
): readonly Test[] {
  const labels = labelsOf(filters.label);
  if (labels === undefined && principal.seesAll) return [];
  const fits = labelTest(labels);
  const seen = new Set<string>();
  for (const [id, target] of targets) {
    if (principal.sees(id) && fits(target.labels)) seen.add(id);
  }
  return [(one) => seen.has(one.target)];
}
