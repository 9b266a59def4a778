import { fixFromKnown } from '../../advice/known-fix.ts';
import { sentenceOf } from '../../advice/sentence.ts';
import { createFixReader } from '../../compose/facts/known-fixes.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { systemOf } from '../../model/scan/ecosystem.ts';
import { canonicalName, canonicalVersion } from '../../model/scan/spelling.ts';
import type { VersionKey } from '../../model/scan/version-key.ts';
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
      const keys = own.map(([, one]) => keyOf(one));
      const known = await read(keys.flatMap((key) => key ?? []));
      let next = 0;
      for (const [index, [position, one]] of own.entries()) {
        const fix = keys[index] === undefined ? undefined : known[next++];
        advised[at + position] = fix === undefined ? one : withFix(one, fix);
      }
    }
  }
  return advised;
}

/** The key of a package that an advisory affects; others have no advice. */
function keyOf({ finding, status }: FleetFinding): VersionKey | undefined {
  const { ecosystem, name, version } = finding.package;
  const system = systemOf(ecosystem);
  if (system === undefined || status !== 'open' || finding.advisory === undefined) return undefined;
  if (finding.suppressed !== undefined) return undefined;
  return { system, name: canonicalName(name, system), version: canonicalVersion(version, name, system) };
}

function withFix(one: FleetFinding, known: Parameters<typeof fixFromKnown>[1]): FleetFinding {
  const fix = fixFromKnown(one.finding, known);
  if (fix === undefined) return one;
  const advice = sentenceOf(one.finding.package.name, fix);
  return { ...one, finding: { ...one.finding, advice, fixes: [fix] } };
}
