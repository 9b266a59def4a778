/** Keys by the key they belong to. */
export type Relations = ReadonlyMap<string, readonly string[]>;

/** Collects what stands under a key in several places. */
export function addRelation(
  relations: Map<string, readonly string[]>,
  from: string,
  to: readonly string[],
): void {
  const known = relations.get(from);
  relations.set(from, known === undefined ? to : [...known, ...to]);
}
