/**
 * Visits the members of a YAML document in their order, keys and values being texts. A visitor reads the value of the member at
 * which it is, once, or leaves it.
 */
export interface YamlReader {
  /** 1-based line of the current key, where it is known: call it before the value is read. */
  line(): number | undefined;
  /** Returns the value if it is a scalar. `undefined`: it is a mapping, which `members` can read, or a list. */
  text(): string | undefined;
  /** Visits the members of the value; nothing where it is not a mapping. Before the first member, the value is the document. */
  members(visit: (key: string) => void): void;
}
