/** Collects what stands under a key in several places. */
export function addRelation(relations: Map<string, string[]>, from: string, to: readonly string[]): void {
  const known = relations.get(from);
  if (known === undefined) relations.set(from, [...to]);
  else for (const key of to) known.push(key);
}
