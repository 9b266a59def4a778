import type { z } from 'zod';
import type { System } from '../../model/lockfile/ecosystem.ts';
import type { indexedPackage } from './data-schemas.ts';

type IndexedPackage = z.infer<typeof indexedPackage>;

const LINE_END = 0x0a;

/**
 * Packages as lines of JSON that begin with system and name, sorted by their bytes. Only the lines of packages that are asked
 * for are decoded and parsed: a scan asks for few.
 */
export class PackageLines implements Iterable<IndexedPackage> {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Searches by halves. `name`: in canonical form. */
  find(system: System, name: string): IndexedPackage | undefined {
    const head = Buffer.from(`{"system":"${system}","name":${JSON.stringify(name)},`);
    let from = 0;
    let to = this.#bytes.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const start = middle === from ? from : this.#bytes.lastIndexOf(LINE_END, middle - 1) + 1;
      const order = this.#bytes.compare(head, 0, head.length, start, Math.min(start + head.length, to));
      if (order === 0) return JSON.parse(this.#bytes.toString('utf8', start, this.#endOf(start)));
      if (order > 0) to = start;
      else from = this.#endOf(start) + 1;
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<IndexedPackage> {
    for (let start = 0; start < this.#bytes.length; start = this.#endOf(start) + 1) {
      yield JSON.parse(this.#bytes.toString('utf8', start, this.#endOf(start)));
    }
  }

  /** The end of the line that begins at `start`. */
  #endOf(start: number): number {
    const end = this.#bytes.indexOf(LINE_END, start);
    return end < 0 ? this.#bytes.length : end;
  }
}
