import type { FixChange } from '../model/advice/fix.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';
import { type Candidates, openCandidates, waitsUntil } from './candidates.ts';
import { evidenceOf, type GraphEvidence, type GraphQuestion, probeGraph, relocksFor } from './graph-probe.ts';
import { type Holder, holdersOf, permits, publicKey } from './holders.ts';
import type { Manager } from './managers/manager.ts';
import { bad, noneOf, type Proof, type Refuted, type Search, unknown } from './proof.ts';

/** The effect of a re-lock of a package. */
export type Relock =
  | {
      readonly state: 'good';
      /** The version that gets locked; the lowest one where several do. */
      readonly to: string;
      /** Every version that gets locked. */
      readonly selected: readonly string[];
    }
  | (Refuted & {
      /** Holders that stand in the way, or of which it is not known whether they do. */
      readonly blockers: readonly Holder[];
    });

/**
 * Whether a re-lock within the requirements locks a good version. `usable`: the later versions that the project's cooldown
 * permits. A version that the manager would select itself has to be good; that a good one exists is not enough.
 */
export async function relockOf(
  holders: readonly Holder[],
  usable: readonly PublishedVersion[],
  candidates: Candidates,
  manager: Manager,
): Promise<Relock> {
  const { scheme } = candidates;
  const permitted = (own: readonly Holder[]) =>
    usable.filter(({ version }) => own.every((holder) => permits(holder, version, scheme).state === 'good'));
  if (manager.relocks === 'exactly') {
    const search = await candidates.firstGood(permitted(holders));
    if (search.state === 'good') {
      const { version } = search.found;
      return { state: 'good', to: version, selected: [version] };
    }
  }
  // A version that is not listed can be higher.
  if (manager.relocks === 'highest' && candidates.unlisted === undefined) {
    const groups = manager.nests ? holders.map((holder) => [holder]) : [holders];
    const selected = groups.map((own) => selectedFrom(permitted(own)));
    const [lowest, ...others] = selected.flat().sort((left, right) => scheme.compare(left, right));
    const isSelected = lowest !== undefined && selected.every((own) => own.length > 0);
    if (isSelected && (await candidates.allGood([lowest, ...others])).state === 'good') {
      return { state: 'good', to: lowest, selected: [lowest, ...others] };
    }
  }
  return await blockedBy(holders, usable, candidates, manager);
}

/** A manager selects the highest version that is permitted, or the default one if that is. */
function selectedFrom(permitted: readonly PublishedVersion[]): readonly string[] {
  const highest = permitted.at(-1);
  const standard = permitted.find(({ isDefault }) => isDefault);
  return [...new Set([highest, standard])].flatMap((one) => one?.version ?? []);
}

/** Holders whose requirement selects no good version. When each selects one, but not the same, all of them. */
async function blockedBy(
  holders: readonly Holder[],
  usable: readonly PublishedVersion[],
  candidates: Candidates,
  manager: Manager,
): Promise<Relock> {
  const blockers: Holder[] = [];
  const reasons: Refuted[] = [];
  for (const holder of holders) {
    const proof = await selectionOf(holder, usable, candidates, manager);
    if (proof.state === 'good') continue;
    blockers.push(holder);
    reasons.push(proof);
  }
  const { unlisted = bad('no version is permitted by all that require it') } = candidates;
  const [first = unlisted, ...others] = reasons;
  return { ...noneOf([first, ...others]), blockers: blockers.length > 0 ? blockers : holders };
}

/** Whether the highest version that a holder permits is good. With a partial list, one that is not listed can be good, and be higher. */
async function selectionOf(
  holder: Holder,
  usable: readonly PublishedVersion[],
  candidates: Candidates,
  manager: Manager,
): Promise<Proof> {
  const proofs = usable.map(({ version }) => permits(holder, version, candidates.scheme));
  const highest = usable[proofs.findLastIndex(({ state }) => state === 'good')];
  const proof =
    highest === undefined
      ? (proofs[0] ?? bad('no later version can be locked'))
      : await candidates.allGood([highest.version]);
  const isSettled = proof.state === 'unknown' || (proof.state === 'good' && manager.relocks !== 'highest');
  return isSettled ? proof : (candidates.unlisted ?? proof);
}

/** More packages than these are not locked again to clear one. */
const MAX_PACKAGES = 10;

/** The question about all packages above the affected one. */
interface AboveQuestion extends Omit<GraphQuestion, 'root'> {
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
