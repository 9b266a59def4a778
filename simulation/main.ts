/*
 * Runs Lockhound in a simulation: producers, workers, refreshes and deliveries over a Redis engine in this process, with virtual time,
 * seeded randomness and seeded faults. What receivers must know at the end of each round follows from the inputs alone (`oracle.ts`).
 *
 *     npm run simulate -- --count 100 --from 1 --processes 2     histories of the seeds from a number on
 *     npm run simulate -- --seed 42                              each step and delivery of one, and the hash of all events
 *     npm run simulate -- --seed 42 --log                        with the log of the workers
 *     npm run simulate -- --seed 42 --shrink                     the shortest history that fails like this one
 *     npm run simulate -- --mutants 40 --seed 1 --histories 1000 random faults in the sources, one at a time
 *     npm run simulate -- --former-faults                        faults that Lockhound had
 *     npm run simulate -- --seed 3 --mutant <name>               with a planted fault, by the name that the command prints
 *
 * Exit codes: 0 every history ended as it must, or every planted fault was found; 1 at least one did not, or was not.
 */
import { fork } from 'node:child_process';
import { readArguments } from '../scripts/arguments.ts';
import type { Result } from './history.ts';
import { plant } from './mutate/plant.ts';
import { planOf } from './plan.ts';
import { processorMs, realNow } from './platform.ts';
import { prepare } from './prepare.ts';
import { shrink } from './shrink.ts';

/** Histories that one process runs at most: the first ones of each are slow. A seed that ends its process costs the rest of them. */
const HISTORIES_A_PROCESS = 250;
/** Histories of which each is printed at most; of more, those that failed. */
const PRINTED = 1_000;

interface Line {
  readonly seed: number;
  /** Processor time in milliseconds. */
  readonly ms: number;
  readonly result: Omit<Result, 'trace'>;
}

const { values } = readArguments(import.meta.url, {
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    processes: { type: 'string', default: '1' },
    shrink: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
    mutants: { type: 'string' },
    'former-faults': { type: 'boolean', default: false },
    /** Most histories of each planted fault. */
    histories: { type: 'string', default: '1000' },
    /** Runs with this planted fault. */
    mutant: { type: 'string' },
    /** This process runs a part of the histories and sends or prints their results. */
    part: { type: 'boolean', default: false },
  },
});

// The processes that run the histories plant it.
if (values.mutant !== undefined && (values.part || values.seed !== undefined))
  plant((await import('./mutate/run.ts')).plantedFilesOf(values.mutant));

if (values.mutants !== undefined || values['former-faults']) await huntFaults();
else if (values.part) await runPart(Number(values.from), Number(values.count));
else if (values.seed === undefined)
  await runAll(Number(values.from), Number(values.count), Number(values.processes));
else await runOne(Number(values.seed));
process.exit();

async function huntFaults(): Promise<void> {
  const { huntFormerFaults, huntMutants } = await import('./mutate/run.ts');
  const histories = Number(values.histories);
  const processes = Number(values.processes);
  const survived =
    values.mutants === undefined
      ? await huntFormerFaults({ histories, processes })
      : await huntMutants({
          count: Number(values.mutants),
          seed: Number(values.seed ?? '1'),
          histories,
          processes,
        });
  if (survived > 0) process.exitCode = 1;
}

/** Runs histories in other processes, and prints them, or of many those that failed. */
async function runAll(from: number, count: number, processes: number): Promise<void> {
  const began = realNow();
  let next = from;
  const lines: Line[] = [];
  const size = Math.min(HISTORIES_A_PROCESS, Math.ceil(count / processes));
  const takeParts = async (): Promise<void> => {
    while (next < from + count) {
      const first = next;
      next = Math.min(first + size, from + count);
      for (const line of await partOf(first, next - first)) {
        lines.push(line);
        if (count <= PRINTED || line.result.failure !== undefined) print(line);
      }
    }
  };
  await Promise.all(Array.from({ length: processes }, takeParts));
  const failed = lines.filter(({ result }) => result.failure !== undefined);
  const sum = (of: (result: Line['result']) => number): number =>
    lines.reduce((all, { result }) => all + of(result), 0);
  const seconds = (realNow() - began) / 1_000;
  const processor = lines.reduce((all, { ms }) => all + ms, 0) / 1_000;
  process.stdout.write(
    `${lines.length} histories, ${failed.length} failed: ${sum(({ changes }) => changes)} changes told, ` +
      `${sum(({ events }) => events)} events, ${Math.round(sum(({ virtualMs }) => virtualMs) / 60_000)} minutes of virtual time ` +
      `in ${Math.round(seconds)} s (${Math.round((lines.length / seconds) * 3_600)} histories an hour), ` +
      `${Math.round(processor)} s of processor time\n`,
  );
  if (failed.length > 0) process.exitCode = 1;
}

function partOf(from: number, count: number): Promise<readonly Line[]> {
  const planted = values.mutant === undefined ? [] : ['--mutant', values.mutant];
  const args = ['--part', '--from', `${from}`, '--count', `${count}`, ...planted];
  const child = fork(import.meta.filename, args);
  return new Promise((resolve, reject) => {
    const lines: Line[] = [];
    child.on('message', (line) => lines.push(line as Line));
    child.on('error', reject);
    child.on('close', (code) => {
      if (lines.length === count) resolve(lines);
      else reject(new Error(`seed ${from + lines.length} ended the process (exit code ${code})`));
    });
  });
}

async function runPart(from: number, count: number): Promise<void> {
  const run = await prepare({ log: values.log });
  for (let seed = from; seed < from + count; seed += 1) {
    const began = processorMs();
    const { trace: _, ...result } = await run(planOf(seed));
    const line: Line = { seed, ms: Math.round(processorMs() - began), result };
    if (process.send === undefined) print(line);
    else await new Promise((sent) => process.send?.(line, sent));
  }
}

async function runOne(seed: number): Promise<void> {
  const run = await prepare({ log: values.log });
  const began = processorMs();
  const plan = planOf(seed);
  let result = await run(plan);
  if (values.shrink && result.failure !== undefined) {
    const kind = kindOf(result.failure);
    const short = await shrink(plan, async (candidate) => kindOf((await run(candidate)).failure) === kind);
    result = await run(short);
  }
  for (const line of result.trace) process.stdout.write(`${line}\n`);
  print({ seed, ms: Math.round(processorMs() - began), result });
  if (result.failure !== undefined) process.exitCode = 1;
}

/** What remains of a failure without names and numbers. */
function kindOf(failure: string | undefined): string | undefined {
  return failure?.split('\n', 1)[0]?.replaceAll(/[\w.-]*\d[\w.-]*/g, '#');
}

function print({ seed, ms, result: { failure, hash, changes, events, virtualMs } }: Line): void {
  const what = `${changes} changes, ${events} events, ${Math.round(virtualMs / 1_000)} s of virtual time in ${ms} ms of processor time`;
  process.stdout.write(`seed ${seed}: ${failure === undefined ? 'ok' : 'FAILED'}, ${hash}, ${what}\n`);
  if (failure !== undefined) process.stdout.write(`${failure.replaceAll(/^/gm, '  ')}\n`);
}
