import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { countedSeverity } from '../../model/scan/severity.ts';
import { withExploits } from '../../policy/priority/exploits.ts';
import { withPriority } from '../../policy/priority/priority.ts';
import type { Operations } from '../../server/api/operation.ts';
import { COMPARE_FINDINGS } from '../../server/view/fleet-order.ts';
import { withTerm } from '../fleet/findings.ts';
import { withKnownFixes } from '../fleet/known-fixes.ts';
import { openFindingSelection, openFixableSelection } from './finding-selection.ts';
import { pageOf, pageOfList } from './page.ts';
import { notFound, requireSeen, type ServeContext } from './serve-context.ts';

type Own = `lockhound.findings.${'list' | 'count' | 'get'}`;

/** Locations of one finding that are sent. */
const MAX_LOCATIONS = 1_000;

/** Lists and counts are answered from memory, and whether findings are fixable from what workers found out; one finding from the state of its target. */
export function findingOperations(context: ServeContext): Pick<Operations, Own> {
  const selectAll = openFindingSelection(context);
  const keepFixable = openFixableSelection(context);
  const select: typeof selectAll = async (filters, order, principal) => {
    const list = await selectAll(filters, order, principal);
    return filters.fixable === true ? await keepFixable(list) : list;
  };
  const { policy } = context.fleet;
  const shown = <One extends FleetFinding>(one: One) => ({
    ...one,
    finding: withTerm(one, policy, Date.now()),
  });
  return {
    async 'lockhound.findings.list'({ params, principal }) {
      const {
        orderBy: order = 'severity',
        pageSize: _size,
        pageToken: _token,
        skip: _skip,
        ...filters
      } = params;
      const page = pageOf<FleetFinding>(context, { method: 'lockhound.findings.list', params, principal });
      const list = await select(filters, order, principal);
      const { items, total, next } = pageOfList(list, page, { compare: COMPARE_FINDINGS[order], placeOf });
      return { findings: items.map(shown), total, ...next };
    },
    async 'lockhound.findings.count'({ params, principal }) {
      const list = await select(params, 'severity', principal);
      const counts = { severities: {}, rules: {}, ecosystems: {} };
      for (const { finding } of list) {
        count(counts.severities, countedSeverity(finding));
        count(counts.rules, finding.rule);
        count(counts.ecosystems, finding.package.ecosystem);
      }
      return { total: list.length, ...counts };
    },
    async 'lockhound.findings.get'({ params: { target, fingerprint }, principal }) {
      requireSeen(principal, target);
      const { targets, targetSummaries } = context.fleet.of(target);
      const state = await targets.read(target);
      const tracked = state?.findings.find(({ finding }) => finding.fingerprint === fingerprint);
      if (tracked === undefined) throw notFound(`target ${target} has no finding ${fingerprint}`);
      const { status, openedAt, changedAt } = tracked;
      const finding = withPriority(withExploits(tracked.finding, await context.exploits()));
      const places = finding.locations.length;
      const locations = finding.locations.slice(0, MAX_LOCATIONS);
      const labels = (await targetSummaries.read(target))?.labels ?? {};
      const one = { target, labels, status, openedAt, changedAt, places, finding: { ...finding, locations } };
      const [advised = one] = await withKnownFixes(context.fleet, [one]);
      const { fixes: _fixes, ...body } = advised.finding;
      return shown({ ...advised, finding: body });
    },
  };
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** What the order of findings depends on. */
function placeOf({ finding, ...one }: FleetFinding): FleetFinding {
  const { locations: _places, title: _title, advice: _advice, advisory, ...others } = finding;
  const named = advisory === undefined ? {} : { advisory: { id: advisory.id, score: advisory.score } };
  return { ...one, labels: {}, finding: { ...others, ...named } } as unknown as FleetFinding;
}
