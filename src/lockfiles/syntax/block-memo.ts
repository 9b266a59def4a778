/**
 * What was read from the blocks of the last version of a file, by their text. Successive versions differ in few blocks, and a block that
 * stands for itself is read once. Values are shared by versions: nobody changes them.
 */
export class BlockMemo {
  #last = new Map<string, unknown>();

  /** The values of the blocks. Those that the last version did not have are made by `make`. */
  read<Value>(blocks: readonly string[], make: (block: string) => Value): readonly Value[] {
    const next = new Map<string, unknown>();
    const values = blocks.map((block) => {
      const known = this.#last.get(block) as Value | undefined;
      if (known !== undefined) {
        next.set(block, known);
        return known;
      }
      // A part of a text keeps the whole text in memory.
      const own = Buffer.from(block, 'utf16le').toString('utf16le');
      const value = make(own);
      next.set(own, value);
      return value;
    });
    this.#last = next;
    return values;
  }
}

/** Number of line feeds in a text. */
export function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
