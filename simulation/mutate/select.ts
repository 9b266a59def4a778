import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Random } from '../random.ts';
import { MUTANT_KINDS, type Mutant } from './mutant.ts';
import { mutantsIn } from './mutants.ts';
import type { Coverage } from './part.ts';
import { ROOT } from './plant.ts';

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

/** Those in code that ran. A script of Redis counts as run when its file was loaded. */
export function reached(mutants: readonly Mutant[], coverage: Coverage): readonly Mutant[] {
  return mutants.filter(({ file, start }) => {
    const parts = (coverage[file] ?? []).filter(
      (part) => part.startOffset <= start && start < part.endOffset,
    );
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
