import { ADVISORY_STATEMENTS, doubtOf } from '../model/losses/statements.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Facts, Known } from '../model/ports/shared-state.ts';
import type { Gap } from '../model/scan/gap.ts';
import type { Advisory, CollectedAdvisories, Inventory } from '../model/scan/inventory.ts';
import { createYielder, inSlices } from '../model/yielding.ts';
import { compareText } from '../policy/finding-order.ts';
import { type Attempt, fetchAll } from './attempt.ts';

/** Ids of all advisories that the version records of an inventory name, in order. */
export async function referredAdvisories({ lockfiles }: Inventory): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const { resolution } of slice) {
        const named = resolution.record?.advisoryIds;
        // Most packages have none.
        if (named === undefined || named.length === 0) continue;
        for (const id of named) ids.add(id);
      }
    }
  }
  return ids;
}

/** Fetches advisories through the cache. One that cannot be fetched does not fail the others. Throws `IncompleteError`. */
export async function fetchAdvisories(
  ids: readonly string[],
  insights: Pick<Insights, 'advisory'>,
  attempt: Attempt,
): Promise<CollectedAdvisories> {
  const { found, absent, failed } = await fetchAll(
    ids,
    (id) => insights.advisory(id, attempt.signal),
    (id) => `advisory ${id}`,
    attempt,
  );
  return {
    advisories: found.map(({ fact }) => fact),
    failed: [
      ...absent.map((id) => ({ id, reason: 'the service has no advisory of this id' })),
      ...failed.map(({ key, reason }) => ({ id: key, reason })),
    ],
  };
}

/** The advisories that the fleet knows, by id. They are at least as new as those in a cache. */
export async function knownAdvisories(
  named: ReadonlySet<string>,
  advisories: Pick<Facts<Advisory>, 'read'>,
): Promise<ReadonlyMap<string, Advisory>> {
  const ids = [...named];
  const known = await advisories.read(ids);
  return new Map(
    ids.flatMap((id, index) => {
      const one = known[index];
      return one !== undefined && 'record' in one ? [[id, withDoubt(one)] as const] : [];
    }),
  );
}

/** The advisories of an inventory, and what of them could not be found out. */
export interface ScanAdvisories {
  readonly byId: ReadonlyMap<string, Advisory>;
  readonly gaps: readonly Gap[];
}

/**
 * The advisories that an inventory refers to: those that the fleet knows, those that were fetched before, and the others from the cache
 * or the service. `fetched`: `undefined` for a part that failed permanently; nothing more is requested then. Throws `IncompleteError`.
 */
export async function advisoriesOf(
  inventory: Inventory,
  {
    known,
    fetched,
    insights,
  }: {
    readonly known: ReadonlyMap<string, Advisory>;
    readonly fetched: readonly (CollectedAdvisories | undefined)[];
    readonly insights: Pick<Insights, 'advisory'>;
  },
  attempt: Attempt,
): Promise<ScanAdvisories> {
  const byId = new Map<string, Advisory>();
  const failed = new Map<string, string>();
  const add = (part: CollectedAdvisories): void => {
    for (const one of part.advisories) byId.set(one.id, one);
    for (const { id, reason } of part.failed) failed.set(id, reason);
  };
  for await (const [part] of inSlices(fetched, 1)) if (part !== undefined) add(part);
  // What the fleet knows is at least as new as what was fetched.
  for (const [id, one] of known) byId.set(id, one);
  const referred = await referredAdvisories(inventory);
  const unknown = [...referred].filter((id) => !byId.has(id) && !failed.has(id));
  if (!fetched.includes(undefined)) add(await fetchAdvisories(unknown, insights, attempt));
  return { byId, gaps: await gapsOf(referred, byId, failed) };
}

async function gapsOf(
  referred: ReadonlySet<string>,
  byId: ReadonlyMap<string, Advisory>,
  failed: ReadonlyMap<string, string>,
): Promise<readonly Gap[]> {
  const yieldIfDue = createYielder();
  const gaps: Gap[] = [];
  for (const [subject, { problems }] of byId) {
    await yieldIfDue();
    if (problems !== undefined) gaps.push({ kind: 'advisory', subject, reason: problems.join('; ') });
  }
  for (const [subject, reason] of failed) gaps.push({ kind: 'advisory', subject, reason });
  for (const subject of referred) {
    if (byId.has(subject) || failed.has(subject)) continue;
    gaps.push({ kind: 'advisory', subject, reason: 'its job failed permanently' });
  }
  return gaps.toSorted((left, right) => compareText(left.subject, right.subject));
}

/** The advisory with its doubt as one of its problems, which are gaps. */
function withDoubt(known: Extract<Known<Advisory>, { readonly record: unknown }>): Advisory {
  const { record } = known;
  const doubt = doubtOf(ADVISORY_STATEMENTS, known);
  return doubt === undefined ? record : { ...record, problems: [...(record.problems ?? []), doubt] };
}
