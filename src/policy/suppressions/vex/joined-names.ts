/** Names that a document joins to one vulnerability. More than these are a mistake, and are not joined further. */
const MAX_JOINED = 1_000;

/**
 * Joins lists that share a name, without regard to case: names of one vulnerability. Returns a function that returns all names of the
 * vulnerability that a list names.
 */
export function joinNames(
  lists: readonly (readonly string[])[],
): (names: readonly string[]) => readonly string[] {
  const groups = new Map<string, Set<string>>();
  for (const names of new Set(lists)) {
    const found = new Set(names.flatMap((name) => groups.get(name.toUpperCase()) ?? []));
    const [group = new Set<string>(), ...others] = [...found].sort((left, right) => right.size - left.size);
    for (const name of [...names, ...others.flatMap((other) => [...other])]) {
      if (group.size >= MAX_JOINED) break;
      group.add(name);
      groups.set(name.toUpperCase(), group);
    }
  }
  return (names) => {
    const found = names.flatMap((name) => [...(groups.get(name.toUpperCase()) ?? [])]);
    return [...new Set([...names, ...found])];
  };
}
