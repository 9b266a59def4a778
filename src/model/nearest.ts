import { distance } from 'fastest-levenshtein';

/** The names that a text resembles most, at most `count`, the most similar first: those that contain it, or that it contains, are similar. */
export function nearestNames(text: string, names: Iterable<string>, count: number): readonly string[] {
  const wanted = text.toLowerCase();
  const limit = Math.max(2, wanted.length * 0.4);
  return Array.from(names, (name) => {
    const lower = name.toLowerCase();
    const far = distance(lower, wanted);
    return { name, far, rank: lower.includes(wanted) || wanted.includes(lower) ? 0 : far };
  })
    .filter(({ rank }) => rank <= limit)
    .sort((one, other) => one.rank - other.rank || one.far - other.far || (one.name < other.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}
