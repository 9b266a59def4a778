import type { Advisory } from '../model/scan/advisory.ts';
import type { AdvisoryEvidence } from '../model/scan/finding.ts';

/** One issue under all its names. */
export type Issue = AdvisoryEvidence;

/** Packages mostly share their advisories: what was joined once is joined for all of a scan. */
const joined = new WeakMap<ReadonlyMap<string, Advisory>, Map<string, readonly Issue[]>>();

/**
 * Joins the advisories of one package that are about the same issue: those that share an id or alias, directly or
 * through others. An id whose advisory is not known stands for itself, or belongs to a known one that lists it.
 */
export function joinAdvisories(
  ids: readonly string[],
  advisories: ReadonlyMap<string, Advisory>,
): readonly Issue[] {
  if (ids.length === 0) return [];
  const known = joined.get(advisories) ?? new Map<string, readonly Issue[]>();
  joined.set(advisories, known);
  const key = ids.join('\n');
  const issues = known.get(key) ?? join(ids, advisories);
  known.set(key, issues);
  return issues;
}

function join(ids: readonly string[], advisories: ReadonlyMap<string, Advisory>): readonly Issue[] {
  const leaders = new Map<string, string>();
  // Union-find that halves each path it follows: long chains of aliases stay linear, cycles end.
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

function describe(names: readonly string[], advisories: ReadonlyMap<string, Advisory>): Issue {
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

/** GHSA identifiers are the ones most databases link to; a CVE says least about the package. */
function rank(name: string): number {
  if (name.startsWith('GHSA-')) return 0;
  return name.startsWith('CVE-') ? 2 : 1;
}
