import { fixQuestionOf, readFixesOf, withKnownFix } from '../../advice/known-fix.ts';
import type { FleetStore } from '../../compose/fleet-store.ts';
import { createFixReader } from '../../compose/known-fixes.ts';
import { ALERT, HOLDER, type ViewedFinding, viewedContent } from '../../fleet/view/viewed-target.ts';
import type { Fix } from '../../model/advice/fix.ts';
import { isFixable } from '../../model/advice/fixable.ts';
import { defined } from '../../model/defined.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { withAge } from '../../model/scan/age.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { countedSeverity } from '../../model/scan/severity.ts';
import { mapInSlices } from '../../model/yielding.ts';
import { alertRef } from '../../store/fleet/open-alerts.ts';
import { firstShard, type OperationContext } from '../context.ts';
import { issueIdOf } from './filter.ts';

/**
 * A finding as answers have it: an open one with its age, and with the time by which it has to be resolved. `isAlone`: its fixes have their
 * evidence.
 */
export function shownFinding({ fleet }: Pick<OperationContext, 'fleet'>, one: FleetFinding, isAlone = false) {
  const { fixes, ...finding } = withTerm(one, fleet.policy.dueIn);
  const shown = fixes?.map(({ kind, version, breaking, until, reason, changes, evidence }) => ({
    kind,
    ...defined({ version }),
    ...(isAlone ? { ...defined({ breaking, until, reason }), changes, evidence: seenBy(evidence) } : {}),
  }));
  return { ...one, finding: { ...finding, ...(shown === undefined ? {} : { fixes: shown }) } };
}

/** The evidence of a fix without the requirements of the lockfile, which is not available. */
function seenBy({ candidates, lookedAt, graphs }: Fix['evidence']) {
  return { candidates, lookedAt, graphs: graphs.map(({ unknown: _, ...graph }) => graph) };
}

/** An open finding with its age, and with the time by which it has to be resolved. */
export function withTerm(
  { finding, status, openedAt }: Pick<FleetFinding, 'finding' | 'status' | 'openedAt'>,
  dueIn: OperationContext['fleet']['policy']['dueIn'],
): FleetFinding['finding'] {
  if (status !== 'open') return finding;
  return withAge(
    finding,
    openedAt,
    Date.now(),
    isAlert(finding) ? dueIn[countedSeverity(finding)] : undefined,
  );
}

/**
 * The findings, in their order, with the places and times that short ones lack: the states of their targets are read. `undefined` for
 * one that its target does not have any more.
 */
export async function wholeFindings(
  { fleet, exploits }: Pick<OperationContext, 'fleet' | 'exploits'>,
  findings: readonly ViewedFinding[],
): Promise<readonly (ViewedFinding | undefined)[]> {
  const short = findings.filter((one) => one[ALERT] !== undefined);
  if (short.length === 0) return findings;
  const holders = new Map(short.map((one) => [one.target, one[HOLDER]]));
  const known = new Map<string, ViewedFinding[]>();
  for (const [store, own] of Map.groupBy(holders.keys(), fleet.of)) {
    for await (const [target, state] of store.targets.each(own, fleet.onUnreadable)) {
      const open = state.findings.filter(({ status }) => status === 'open');
      const holder = holders.get(target) as ViewedFinding[typeof HOLDER];
      const { findings: viewed } = viewedContent(holder, { findings: open }, await exploits());
      for (const [index, { finding }] of open.entries()) {
        const key = `${target} ${alertRef(finding)}`;
        known.set(key, [...(known.get(key) ?? []), viewed[index] as ViewedFinding]);
      }
    }
  }
  return findings.map((one) =>
    one[ALERT] === undefined ? one : known.get(`${one.target} ${one[ALERT]}`)?.shift(),
  );
}

/** The values that decide the order of findings. */
export function findingPlace({ finding, ...one }: FleetFinding): FleetFinding {
  const { locations: _places, title: _title, advice: _advice, advisory, ...others } = finding;
  const named = advisory === undefined ? {} : { advisory: { id: advisory.id, score: advisory.score } };
  return { ...one, labels: {}, finding: { ...others, ...named } } as unknown as FleetFinding;
}

/** Adds who works on the issues of findings. */
export async function withAssignments(
  { fleet }: Pick<OperationContext, 'fleet'>,
  findings: readonly FleetFinding[],
): Promise<readonly FleetFinding[]> {
  const ids = findings.map(({ finding }) => issueIdOf(finding));
  const assigned = await firstShard(fleet).assignments.some(ids);
  return findings.map((one, index) => ({ ...one, ...defined({ assigned: assigned.get(ids[index] ?? '') }) }));
}

/** Package versions that are read at once. */
const PART = 1_000;

/** Adds what workers found out about fixes to open findings. */
export async function withKnownFixes(
  fleet: FleetStore,
  findings: readonly FleetFinding[],
): Promise<readonly FleetFinding[]> {
  const readers = new Map<unknown, ReturnType<typeof createFixReader>>();
  const advised: FleetFinding[] = [];
  for (let at = 0; at < findings.length; at += PART) {
    const part = findings.slice(at, at + PART);
    for (const [store, own] of Map.groupBy(part.entries(), ([, { target }]) => fleet.of(target))) {
      const read = readers.get(store) ?? createFixReader(store.cache);
      readers.set(store, read);
      const open = own.filter(([, { status }]) => status === 'open');
      const known = await readFixesOf(
        open.map(([, { finding }]) => finding),
        read,
      );
      for (const [position, one] of own) advised[at + position] = one;
      for (const [index, [position, one]] of open.entries()) {
        advised[at + position] = { ...one, finding: withKnownFix(one.finding, known[index]) };
      }
    }
  }
  return advised;
}

/** The findings that a known upgrade clears, in order. Of those with the same fix, one is looked up. */
export async function fixableOf<One extends FleetFinding>(
  fleet: FleetStore,
  findings: readonly One[],
): Promise<readonly One[]> {
  const samples = new Map<string, One>();
  const questions = await mapInSlices(findings, (one) => {
    const question = one.status === 'open' ? fixQuestionOf(one.finding) : undefined;
    if (question === undefined) return undefined;
    const ofShard = `${fleet.shards.indexOf(fleet.of(one.target))} ${question}`;
    if (!samples.has(ofShard)) samples.set(ofShard, one);
    return ofShard;
  });
  const advised = await withKnownFixes(fleet, [...samples.values()]);
  const fixable = new Set([...samples.keys()].filter((_, index) => isFixable(advised[index]?.finding ?? {})));
  return findings.filter((_, index) => fixable.has(questions[index] ?? ''));
}
