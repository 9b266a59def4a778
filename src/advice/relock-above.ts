import type { FixChange } from '../model/advice/fix.ts';
import { openCandidates, waitsUntil } from './candidates.ts';
import { evidenceOf, type GraphEvidence, type GraphQuestion, probeGraph, relocksFor } from './graph-probe.ts';
import { holdersOf, publicKey } from './holders.ts';
import { bad, noneOf, type Search, unknown } from './proof.ts';
import { relockOf } from './relock.ts';

/** More packages than these are not locked again to clear one. */
const MAX_PACKAGES = 10;

/** The question about all packages above the affected one. */
export interface AboveQuestion extends Omit<GraphQuestion, 'root'> {
  readonly graphs: GraphEvidence[];
}

/**
 * The changes that lock a dependent again within what requires it, or else those that require the dependent, so that only good versions of the
 * affected package are brought. `seen`: ids that were looked at, for this affected package.
 */
export async function relockAbove(
  id: string,
  question: AboveQuestion,
  seen: Set<string>,
): Promise<Search<readonly FixChange[]>> {
  const { project, facts, now } = question;
  const root = project.dependents.find(id);
  const key = root === undefined ? undefined : publicKey(root);
  if (root === undefined || key === undefined) return unknown(`the index does not have ${id}`);
  // Of a direct dependency, the smallest version is better than the highest one.
  if (root.direct === true) return bad(`${id} is a direct dependency`);
  if (seen.has(id) || seen.size >= MAX_PACKAGES) return bad(`too many packages are above ${id}`);
  seen.add(id);
  const opened = await openCandidates(facts, key);
  if (opened.state !== 'good') return opened;
  const { found: candidates } = opened;
  const usable = candidates.later.filter(
    (one) => waitsUntil(root.name, one, project.statement.cooldown, now) === undefined,
  );
  const holders = await holdersOf(root, project, facts);
  const relock = await relockOf(holders, usable, candidates, project.manager);
  if (relock.state === 'good') return await relocked({ ...question, root }, relock);
  const { blockers } = relock;
  // Those that permit a later version would keep the locked one.
  if (blockers.length < holders.length || blockers.some(({ kind }) => kind !== 'package')) return relock;
  const changes: FixChange[] = [];
  for (const { by } of blockers) {
    const above = await relockAbove(by, question, seen);
    if (above.state !== 'good') return noneOf([relock, above]);
    changes.push(...above.found);
  }
  return { state: 'good', found: changes };
}

/** Whether every version that gets locked brings only good versions of the affected package. */
async function relocked(
  question: AboveQuestion & GraphQuestion,
  { to, selected }: { readonly to: string; readonly selected: readonly string[] },
): Promise<Search<readonly FixChange[]>> {
  const { root, graphs } = question;
  const key = publicKey(root);
  if (key === undefined) return unknown(`the index does not have ${root.id}`);
  const changes: FixChange[] = [{ name: root.name, from: root.version, to, how: 're-lock' }];
  for (const version of new Set(selected)) {
    const probe = await probeGraph({ ...key, version }, question);
    graphs.push(evidenceOf(probe));
    if (probe.proof.state !== 'good') return probe.proof;
    changes.push(...relocksFor(probe, question));
  }
  return { state: 'good', found: changes };
}
