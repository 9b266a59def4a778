import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Random } from '../random.ts';
import { MUTANT_KINDS, type Mutant } from './mutant.ts';
import { mutantsIn } from './mutants.ts';
import type { Message } from './part.ts';
import { type PlantedFile, ROOT } from './plant.ts';
import { markAt } from './script-mutants.ts';

/** Code that keeps the promises about jobs and alerts. */
const PLACES = [
  'src/workers/',
  'src/jobs/',
  'src/store/outcomes/',
  'src/store/alerts/',
  'src/store/scripts/',
];
/** Files that only write to the log. */
const REPORTS = ['src/workers/throttled-log.ts', 'src/workers/events.ts'];

/** All mutants of the sources, in the order of their files: of the rest of `src/store/` only those of scripts. */
export function allMutants(): readonly Mutant[] {
  const root = fileURLToPath(ROOT);
  const files = ['src/workers', 'src/jobs', 'src/store'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.generated.ts') && !REPORTS.includes(file))
    .sort()
    .flatMap((file) => {
      const mutants = mutantsIn(file, readFileSync(root + file, 'utf8'));
      return PLACES.some((place) => file.startsWith(place))
        ? mutants
        : mutants.filter(({ language }) => language === 'lua');
    });
}

/** Has scripts say how far they come. */
export function marksOf(mutants: readonly Mutant[]): readonly PlantedFile[] {
  return [...Map.groupBy(mutants, ({ file }) => file)].map(([file, own]) => {
    const places = new Set(own.flatMap(({ mark }) => mark ?? []));
    return { file, replacements: Array.from(places, (at) => markAt(file, at)) };
  });
}

/** Those in code that ran. A line of a script that cannot say so counts as run when its file was loaded. */
export function reached(
  mutants: readonly Mutant[],
  marks: readonly PlantedFile[],
  { coverage, marked }: Message & { readonly kind: 'coverage' },
): readonly Mutant[] {
  const ran = new Set(marked);
  const marksIn = new Map(marks.map(({ file, replacements }) => [file, replacements]));
  return mutants.filter(({ file, start, mark }) => {
    if (mark !== undefined) return ran.has(`${file}:${mark}`);
    // Marks have moved what follows them.
    const before = (marksIn.get(file) ?? []).filter((one) => one.start <= start);
    const at = before.reduce((sum, { after }) => sum + after.length, start);
    const parts = (coverage[file] ?? []).filter((part) => part.startOffset <= at && at < part.endOffset);
    const innermost = parts.toSorted(
      (left, right) => left.endOffset - left.startOffset - (right.endOffset - right.startOffset),
    )[0];
    return (innermost?.count ?? 0) > 0;
  });
}

/** Selects mutants at random, as many of each kind as possible. */
export function selectMutants(mutants: readonly Mutant[], count: number, random: Random): readonly Mutant[] {
  const left = new Map(MUTANT_KINDS.map((kind) => [kind, mutants.filter((one) => one.kind === kind)]));
  const selected: Mutant[] = [];
  while (selected.length < Math.min(count, mutants.length)) {
    for (const own of left.values()) {
      const [mutant] = own.splice(random.below(own.length), 1);
      if (mutant !== undefined && selected.length < count) selected.push(mutant);
    }
  }
  return selected;
}
