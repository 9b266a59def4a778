import type { Advisory } from '../model/scan/advisory.ts';
import type { AdvisoryEvidence } from '../model/scan/finding.ts';

/** The issues of each list of ids, by scan: most packages share their advisories. */
const cache = new WeakMap<ReadonlyMap<string, Advisory>, Map<string, readonly AdvisoryEvidence[]>>();

/**
 * Joins the advisories of one package that describe the same issue: those that share an id or alias, directly or through
 * others. An id whose advisory is unknown is an issue itself unless a known advisory lists it.
 */
export function joinAdvisories(
  ids: readonly string[],
  advisories: ReadonlyMap<string, Advisory>,
): readonly AdvisoryEvidence[] {
  if (ids.length === 0) return [];
  const known = cache.get(advisories) ?? new Map<string, readonly AdvisoryEvidence[]>();
  cache.set(advisories, known);
  const key = ids.join('\n');
  const issues = known.get(key) ?? join(ids, advisories);
  known.set(key, issues);
  return issues;
}

function join(
  ids: readonly string[],
  advisories: ReadonlyMap<string, Advisory>,
): readonly AdvisoryEvidence[] {
  const leaders = new Map<string, string>();
  // Union-find with path halving: linear also for long chains and cycles of aliases.
  const leader = (name: string): string => {
    let at = name;
    for (let next = leaders.get(at) ?? at; next !== at; next = leaders.get(at) ?? at) {
      leaders.set(at, leaders.get(next) ?? next);
      at = next;
    }
    return at;
  };
  for (const id of ids) {
    if (!leaders.has(id)) leaders.set(id, id);
    for (const alias of advisories.get(id)?.aliases ?? []) {
      if (!leaders.has(alias)) leaders.set(alias, alias);
      leaders.set(leader(alias), leader(id));
    }
  }
  const groups = Map.groupBy(leaders.keys(), leader);
  return Array.from(groups.values(), (names) => describe(names, advisories)).sort((left, right) =>
    left.id < right.id ? -1 : 1,
  );
}

function describe(names: readonly string[], advisories: ReadonlyMap<string, Advisory>): AdvisoryEvidence {
  const sorted = names.toSorted((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
  const known = sorted.flatMap((name) => advisories.get(name) ?? []);
  const worst = known.toSorted((left, right) => (right.score ?? -1) - (left.score ?? -1))[0];
  const shown = known[0];
  const [id = '', ...aliases] = sorted;
  return {
    id,
    aliases,
    title: known.find(({ title }) => title !== '')?.title ?? id,
    url: shown?.url || `https://osv.dev/vulnerability/${encodeURIComponent(id)}`,
    ...(worst?.score === undefined ? {} : { score: worst.score }),
    ...(worst?.vector === undefined ? {} : { vector: worst.vector }),
  };
}

/** Most databases link to GHSA identifiers; a CVE contains the least about the package. */
function rank(name: string): number {
  if (name.startsWith('GHSA-')) return 0;
  return name.startsWith('CVE-') ? 2 : 1;
}
