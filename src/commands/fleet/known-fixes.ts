import { readFixesOf, withKnownFix } from '../../advice/known-fix.ts';
import { createFixReader } from '../../compose/facts/known-fixes.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import type { FleetStore } from './fleet-store.ts';

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
