import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { type Replacement, replaceIn } from './mutant.ts';

export const ROOT: string = new URL('../..', import.meta.url).href;

/** A source with replaced places, which do not overlap. */
export interface PlantedFile {
  /** Relative to the root of the project. */
  readonly file: string;
  readonly replacements: readonly Replacement[];
}

/** Has the sources that are loaded from now on hold planted faults. No file is written. */
export function plant(files: readonly PlantedFile[]): void {
  const texts = new Map(
    files.map(({ file, replacements }) => {
      const url = new URL(file, ROOT);
      const fromEnd = replacements.toSorted((left, right) => right.start - left.start);
      return [url.href, fromEnd.reduce(replaceIn, readFileSync(url, 'utf8'))];
    }),
  );
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const source = texts.get(url);
      return source === undefined ? loaded : { ...loaded, source };
    },
  });
}
