import type { FixChange } from '../model/advice/fix.ts';
import { openCandidates } from './candidates.ts';
import { waitsUntil } from './cooldown.ts';
import { type GraphEvidence, type GraphQuestion, probeGraph, relocksFor } from './graph-probe.ts';
import { holdersOf, publicKey } from './holders.ts';
import { relockOf } from './relock.ts';

/** More packages than these are not locked again to clear one. */
const MAX_PACKAGES = 10;

/** What is asked of all packages above the affected one. */
export interface AboveQuestion extends Omit<GraphQuestion, 'root'> {
  readonly graphs: GraphEvidence[];
}

/**
 * The changes that lock a dependent again within what requires it, or else those that require the dependent, so that only good versions of the
 * affected package are brought. `undefined` when there is no such way. `seen`: ids that were looked at, for this affected package.
 */
export async function relockAbove(
  id: string,
  question: AboveQuestion,
  seen: Set<string>,
): Promise<readonly FixChange[] | undefined> {
  const { project, facts, now } = question;
  const root = project.dependents.find(id);
  const key = root === undefined ? undefined : publicKey(root);
  // Of a direct dependency, the smallest version is better than the highest one.
  if (root === undefined || key === undefined || root.direct === true) return undefined;
  if (seen.has(id) || seen.size >= MAX_PACKAGES) return undefined;
  seen.add(id);
  const candidates = await openCandidates(facts, key);
  if (candidates === undefined) return undefined;
  const usable = candidates.later.filter(
    (one) => waitsUntil(root.name, one, project.statement.cooldown, now) === undefined,
  );
  const holders = await holdersOf(root, project, facts);
  const { to, selected, blockers } = await relockOf(holders, usable, candidates, project.manager);
  if (to !== undefined) return await relocked({ ...question, root }, { to, selected });
  // Those that permit a later version would keep the locked one.
  if (blockers.length < holders.length || blockers.some(({ kind }) => kind !== 'package')) return undefined;
  const changes: FixChange[] = [];
  for (const { by } of blockers) {
    const above = await relockAbove(by, question, seen);
    if (above === undefined) return undefined;
    changes.push(...above);
  }
  return changes;
}

/** `undefined` when a version that gets locked brings an affected one. */
async function relocked(
  question: AboveQuestion & GraphQuestion,
  { to, selected }: { readonly to: string; readonly selected: readonly string[] },
): Promise<readonly FixChange[] | undefined> {
  const { root, graphs } = question;
  const key = publicKey(root);
  if (key === undefined) return undefined;
  const changes: FixChange[] = [{ name: root.name, from: root.version, to, how: 're-lock' }];
  for (const version of new Set(selected)) {
    const probe = await probeGraph({ ...key, version }, question);
    const { graph: _graph, ...evidence } = probe;
    graphs.push(evidence);
    if (!probe.good) return undefined;
    changes.push(...relocksFor(probe, question));
  }
  return changes;
}
