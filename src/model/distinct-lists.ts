/** Lists of texts without repetition, in the order in which they came first. */
export class DistinctLists {
  readonly lists: (readonly string[])[] = [];
  readonly #places = new Map<string, number>();

  /** The position of the list in `lists`. */
  placeOf(list: readonly string[]): number {
    const [only = ''] = list;
    // Most have one text, which takes less time to write than JSON.
    const key = list.length < 2 ? `${list.length} ${only}` : JSON.stringify(list);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.lists.length);
    return this.lists.push(list) - 1;
  }
}
