import type { Finding } from '../../src/model/scan/finding.ts';
import { DETECTORS } from '../../src/policy/signals/catalog.ts';
import type { Room } from './world.ts';

/** Rules that compare with the past, which a clean scan does not have: its packages are its baseline. */
const OF_THE_PAST: ReadonlySet<string> = new Set([...DETECTORS.map(({ name }) => name), 'downgraded']);

/** The open findings of a target, without those that a clean scan cannot have. */
export async function openFindingsOf(
  { store }: Pick<Room, 'store'>,
  target: string,
): Promise<readonly string[]> {
  const tracked = (await store.targets.read(target))?.findings ?? [];
  const compared = tracked.filter(({ finding }) => !OF_THE_PAST.has(finding.rule));
  return compared.flatMap(({ status, finding }) => (status === 'open' ? comparable(finding) : [])).sort();
}

/** Without the fingerprint, which a finding keeps when its package is upgraded. */
function comparable({ fingerprint: _, ...finding }: Finding): string {
  return JSON.stringify(finding);
}
