import { createRandom } from '../random.ts';
import { FORMER_FAULTS, plantedBy } from './former-faults.ts';
import { coverageOf, type Hunt, hunt } from './hunt.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedFile } from './plant.ts';
import { allMutants, marksOf, reached, selectMutants } from './select.ts';

/** Histories whose code is where faults are planted. */
const COVERED_HISTORIES = 5;
const TEXT_LENGTH = 70;

interface MutantOptions {
  readonly count: number;
  readonly seed: number;
  /** Most histories of each mutant. */
  readonly histories: number;
  /** Most processes at a time. */
  readonly processes: number;
}

/** Plants faults at random places of the sources, one at a time, and prints which are found. Resolves to the number that survived. */
export async function huntMutants({ count, seed, histories, processes }: MutantOptions): Promise<number> {
  const all = allMutants();
  const marks = marksOf(all);
  const coverage = await coverageOf(marks, COVERED_HISTORIES, (failure) =>
    print(`fails with marks in scripts, without a planted fault: ${failure}`),
  );
  const possible = reached(all, marks, coverage);
  print(`${all.length} mutants, ${possible.length} of them in code that ${COVERED_HISTORIES} histories run`);
  const selected = selectMutants(possible, count, createRandom(seed));
  const hunts = await inParallel(selected, processes, async (mutant) => {
    const came = await hunt([{ file: mutant.file, replacements: [mutant] }], histories);
    print(`${textOf(came)}  ${mutant.id}\n    ${shown(mutant)}${failureOf(came)}`);
    return came;
  });
  return summarize(hunts);
}

/** Plants each former fault, and prints after how many histories it is found. Resolves to the number that survived. */
export async function huntFormerFaults({
  histories,
  processes,
}: Pick<MutantOptions, 'histories' | 'processes'>): Promise<number> {
  const hunts = await inParallel(FORMER_FAULTS, processes, async (fault) => {
    const came = await hunt(plantedBy(fault), histories);
    print(`${textOf(came)}  ${fault.name}: ${fault.what}${failureOf(came)}`);
    return came;
  });
  return summarize(hunts);
}

/** The planted files of a mutant or former fault by its name. Throws when there is none. */
export function plantedFilesOf(name: string): readonly PlantedFile[] {
  const fault = FORMER_FAULTS.find((one) => one.name === name);
  if (fault !== undefined) return plantedBy(fault);
  const mutant = allMutants().find(({ id }) => id === name);
  if (mutant === undefined) throw new Error(`no mutant and no former fault is named "${name}"`);
  return [{ file: mutant.file, replacements: [mutant] }];
}

async function inParallel<Item>(
  items: readonly Item[],
  processes: number,
  work: (item: Item) => Promise<Hunt>,
): Promise<readonly Hunt[]> {
  const waiting = items.values();
  const hunts: Hunt[] = [];
  const takeNext = async (): Promise<void> => {
    for (const item of waiting) hunts.push(await work(item));
  };
  await Promise.all(Array.from({ length: processes }, takeNext));
  return hunts;
}

function summarize(hunts: readonly Hunt[]): number {
  const numberOf = (kind: Hunt['kind']): number => hunts.filter((one) => one.kind === kind).length;
  const counts = hunts.flatMap((one) => (one.kind === 'found' ? [one.histories] : []));
  const middle = counts.toSorted((left, right) => left - right)[Math.floor(counts.length / 2)] ?? 0;
  print(
    `${numberOf('found')} found (half of them within ${middle} histories, all within ${Math.max(0, ...counts)}), ` +
      `${numberOf('survived')} survived, ${numberOf('not-loaded')} did not load`,
  );
  return numberOf('survived');
}

function textOf(came: Hunt): string {
  if (came.kind === 'not-loaded') return 'not loaded ';
  return `${came.kind === 'found' ? 'found in' : 'survived'} ${String(came.histories).padStart(4)}`;
}

/** What the history says that found it. */
function failureOf(came: Hunt): string {
  return came.kind === 'found' ? `\n    ${came.failure.split('\n')[0]}` : '';
}

function shown({ before, after }: Mutant): string {
  return `${oneLine(before)}  →  ${oneLine(after)}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line === '' || line === ';') return '(nothing)';
  return line.length > TEXT_LENGTH ? `${line.slice(0, TEXT_LENGTH)}…` : line;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
