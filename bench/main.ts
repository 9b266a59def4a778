import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCH_FOLDER } from './peers.ts';
import { recordRatios, worseThanRecorded } from './ratios.ts';
import type { Bench, Table } from './rows.ts';
import { tableText } from './table.ts';

const BENCHES = {
  lockfiles: 'package managers write lockfiles for `parse`; takes minutes',
  cold: 'whole processes, with an empty and a warm compile cache',
  parse: 'reading lockfiles, beside the least work and other readers',
  resolve: 'looking up purls, beside undici and JSON.parse',
  'event-loop': "longest block of a worker's event loop, by format",
  judge: 'judging and routing 1,000 to 500,000 findings',
  scan: 'a whole scan of 6,500 packages: time and memory',
  'large-scan': '50,000 packages through a real worker: stages, pauses',
  worker: 'two workers on a native Redis: scans/s, CPU, latency',
  fleet: 'one worker refreshes [targets] × [packages]: requests, memory',
  advisories: 'importing [records], a scan and packages/s against them',
  feed: 'from a list of changed advisories to deliveries at [targets] × [packages]',
  suppressions: 'what 100 suppressions add to whole refreshes',
  serve: 'the API answers mixed reads at [targets]: latencies',
  gate: '`packages.check` beside refreshes at [requests a second]: latencies',
  ledger: 'a year of changes of [targets]: bytes, time added to a scan',
  questions: 'commands ask a fleet of [targets] × [packages]: whole processes',
  page: 'the live page over [targets] × [packages] in Chromium: times',
  queue: 'the runtime of the workers, beside BullMQ alone',
  signals: 'inspecting 20 new packages of 1,500: requests, time added to a scan',
  discovery: 'loading and validating a description of 1 MB',
} as const;

/** How often `--check` measures at most before it fails. */
const RUNS = 3;

/** What `--check` runs: benches that take seconds and compare with a floor in the same process or machine. */
const CHECKED: readonly string[] = ['cold', 'parse', 'resolve'];
/** Run only when they are named, because they take minutes. */
const SLOW: readonly string[] = [
  'lockfiles',
  'large-scan',
  'worker',
  'fleet',
  'advisories',
  'feed',
  'suppressions',
  'serve',
  'gate',
  'ledger',
  'questions',
  'page',
];

const USAGE = `Usage: npm run bench -- [options] [bench] [arguments of the bench]

Without a bench, those run that take seconds.

  --check           run the short ones, and fail when a ratio is worse than the recorded one by more than a half
  --record          write the ratios to bench/ratios.json
  --output <file>   write the results to this file
  --help            show this help

Benches:
${Object.entries(BENCHES)
  .map(([known, what]) => `  ${known.padEnd(17)} ${what}`)
  .join('\n')}`;

const { options, name, args } = readArguments();
if (options.help === true) console.log(USAGE);
else if (name === 'all' || Object.hasOwn(BENCHES, name)) await runBenches(namesToRun());
else fail(`there is no bench "${name}"; \`npm run bench -- --help\` lists them`);

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        check: { type: 'boolean' },
        record: { type: 'boolean' },
        output: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const [first = 'all', ...others] = positionals;
    return { options: values, name: first, args: others };
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function fail(reason: string): never {
  console.error(`error: ${reason}`);
  process.exit(2);
}

function namesToRun(): readonly string[] {
  if (name !== 'all') return [name];
  return options.check === true ? CHECKED : Object.keys(BENCHES).filter((known) => !SLOW.includes(known));
}

async function runBenches(names: readonly string[]): Promise<void> {
  const results: Record<string, readonly Table[]> = {};
  for (const known of names) {
    console.log(`\n# ${known}: ${BENCHES[known as keyof typeof BENCHES]}`);
    const bench = (await import(`./${known}.ts`)) as Partial<Bench> & {
      run?(args: readonly string[]): Promise<void>;
    };
    if (bench.measure === undefined) await bench.run?.(args);
    else results[known] = await runTables(known, bench as Bench);
  }
  const file = options.output ?? join(BENCH_FOLDER, 'results.json');
  await mkdir(BENCH_FOLDER, { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\nresults: ${file}`);
}

async function runTables(known: string, bench: Bench): Promise<readonly Table[]> {
  const tables = await measured(bench);
  if (options.record === true) await recordRatios(known, tables);
  else if (options.check === true) await check(known, bench, tables);
  return tables;
}

async function measured(bench: Bench): Promise<readonly Table[]> {
  const tables: Table[] = [];
  for await (const table of bench.measure(args, options.check === true)) {
    tables.push(table);
    console.log(tableText(table));
  }
  return tables;
}

/** Fails for ratios that are worse in each of three runs: in one run the reason may be the load of the machine. */
async function check(known: string, bench: Bench, tables: readonly Table[]): Promise<void> {
  let worse = await worseThanRecorded(known, tables);
  for (let run = 2; run <= RUNS && worse.size > 0; run += 1) {
    console.log('\nAgain, because of ratios that are worse than recorded:');
    const again = await worseThanRecorded(known, await measured(bench));
    worse = new Map([...again].filter(([row]) => worse.has(row)));
  }
  for (const [row, reason] of worse) {
    console.error(`${row}: ${reason}`);
    process.exitCode = 1;
  }
}
