/** Keys by the key they belong to. */
export type Relations = ReadonlyMap<string, readonly string[]>;

/** Adds what belongs to a key, to what is known of it already. The list becomes the relations' own. */
export function addRelation(relations: Map<string, string[]>, from: string, to: string[]): void {
  const known = relations.get(from);
  if (known === undefined) relations.set(from, to);
  else for (const key of to) known.push(key);
}
