import type { PublishedVersion } from '../model/ports/insights.ts';
import type { Candidates } from './candidates.ts';
import { type Holder, permits } from './holders.ts';
import type { Manager } from './managers/manager.ts';
import { bad, noneOf, type Proof, type Refuted } from './proof.ts';

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
