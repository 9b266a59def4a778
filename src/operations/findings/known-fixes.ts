import { fixQuestionOf, readFixesOf, withKnownFix } from '../../advice/known-fix.ts';
import type { FleetStore } from '../../compose/fleet-store.ts';
import { createFixReader } from '../../compose/known-fixes.ts';
import { isFixable } from '../../model/advice/fixable.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { mapInSlices } from '../../model/yielding.ts';

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
