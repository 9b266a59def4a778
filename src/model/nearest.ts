import { distance } from 'fastest-levenshtein';

/** The name that a text resembles most; `undefined` when it resembles none. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const wanted = text.toLowerCase();
  const ranked = names.map((name) => ({ name, far: distance(name.toLowerCase(), wanted) }));
  const [nearest] = ranked.sort((one, other) => one.far - other.far);
  return nearest !== undefined && nearest.far <= Math.max(2, wanted.length * 0.4) ? nearest.name : undefined;
}
