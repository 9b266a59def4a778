import type { PublishedVersion } from '../model/ports/insights.ts';
import type { Candidates } from './candidates.ts';
import { type Holder, permits } from './holders.ts';
import type { Manager } from './managers/manager.ts';

/** What a re-lock of a package would do. */
export interface Relock {
  /** The version that gets locked; `undefined` when a re-lock does not lock a good one for every holder. */
  readonly to: string | undefined;
  /** Every version that gets locked; empty when `to` is not known. */
  readonly selected: readonly string[];
  /** Holders that stand in the way. */
  readonly blockers: readonly Holder[];
}

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
    usable.filter(({ version }) => own.every((holder) => permits(holder, version, scheme)));
  if (manager.relocks === 'exactly') {
    const to = await candidates.firstGood(permitted(holders));
    if (to !== undefined) return { to: to.version, selected: [to.version], blockers: [] };
  }
  if (manager.relocks === 'highest') {
    const groups = manager.nests ? holders.map((holder) => [holder]) : [holders];
    const selected = groups.map((own) => selectedFrom(permitted(own)));
    const all = selected.flat();
    if (selected.every((own) => own.length > 0) && (await candidates.allGood(all))) {
      return { to: lowestOf(all, candidates), selected: all, blockers: [] };
    }
  }
  return { to: undefined, selected: [], blockers: await blockersOf(holders, permitted, candidates) };
}

/** A manager selects the highest version that is permitted, or the default one if that is. */
function selectedFrom(permitted: readonly PublishedVersion[]): readonly string[] {
  const highest = permitted.at(-1);
  const standard = permitted.find(({ isDefault }) => isDefault);
  return [...new Set([highest, standard])].flatMap((one) => one?.version ?? []);
}

function lowestOf(versions: readonly string[], { scheme }: Candidates): string | undefined {
  return versions.toSorted((left, right) => scheme.compare(left, right))[0];
}

/** Holders that permit no good version. When each permits one, but not the same or not the selected one, all of them. */
async function blockersOf(
  holders: readonly Holder[],
  permitted: (own: readonly Holder[]) => readonly PublishedVersion[],
  candidates: Candidates,
): Promise<readonly Holder[]> {
  const blockers: Holder[] = [];
  for (const holder of holders) {
    const highest = permitted([holder]).at(-1);
    if (highest === undefined || !(await candidates.allGood([highest.version]))) blockers.push(holder);
  }
  return blockers.length > 0 ? blockers : holders;
}
