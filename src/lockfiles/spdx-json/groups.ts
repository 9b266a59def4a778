import type { Group } from '../../model/scan/lockfile.ts';
import type { Relations } from '../sbom/sbom-relations.ts';

/** An element that another one needs under a condition only. */
export interface ConditionalEdge {
  readonly owned: string;
  readonly group: Group;
}

/**
 * Groups by element: what is reached from the top without a condition is in none; everything else is under the conditions
 * that lead to it, itself or by way of what needs it. `plain`: the relations without a condition.
 */
export function groupsOf(
  plain: readonly Relations[],
  conditional: readonly ConditionalEdge[],
): ReadonlyMap<string, readonly Group[]> {
  if (conditional.length === 0) return new Map();
  const owned = new Set(conditional.map((edge) => edge.owned));
  for (const relations of plain)
    for (const keys of relations.values()) for (const key of keys) owned.add(key);
  const owners = plain.flatMap((relations) => [...relations.keys()]);
  const always = reached(
    owners.filter((key) => !owned.has(key)),
    plain,
  );
  const groups = new Map<string, Group[]>();
  for (const group of [...new Set(conditional.map((edge) => edge.group))].sort()) {
    const starts = conditional.filter((edge) => edge.group === group).map((edge) => edge.owned);
    for (const key of reached(starts, plain)) {
      if (always.has(key)) continue;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [group]);
      else known.push(group);
    }
  }
  return groups;
}

function reached(starts: readonly string[], relations: readonly Relations[]): ReadonlySet<string> {
  const seen = new Set(starts);
  // A set gives what is added to it while it is gone through.
  for (const key of seen) {
    for (const one of relations) for (const next of one.get(key) ?? []) seen.add(next);
  }
  return seen;
}
