const BENCHES = {
  lockfiles: 'has the package managers write the lockfiles that `parse` reads; takes minutes',
  parse: 'reading lockfiles, against the least that takes and against other readers of them',
  resolve: 'looking up purls: checks against JSON.parse, pages side by side, purls a second',
  'event-loop': 'the longest time for which a worker does nothing but one file, by format',
  judge: 'judging, comparing and routing 1,000 to 500,000 findings: time for each, longest pause',
  scan: 'a whole scan of it: cold cache, embedded Valkey, local services; time and memory',
  'large-scan':
    'one lockfile of 50,000 packages with findings through a real worker: each stage, longest pauses',
  worker:
    'two workers on a native Redis: scans a second, processor time and commands a scan, latency when idle',
  discovery: 'loading, indexing, validating a description document of 1 MB, against JSON.parse of it',
} as const;

const [name = 'all', ...args] = process.argv.slice(2);
if (name !== 'all' && !Object.hasOwn(BENCHES, name)) {
  console.error(`There is no bench "${name}". They are:`);
  for (const [known, what] of Object.entries(BENCHES)) console.error(`  ${known.padEnd(10)} ${what}`);
  process.exitCode = 2;
} else {
  for (const [known, what] of Object.entries(BENCHES)) {
    // What takes minutes and is needed once runs only when it is named.
    if (
      name === 'all' ? known === 'lockfiles' || known === 'large-scan' || known === 'worker' : name !== known
    )
      continue;
    console.log(`\n# ${known}: ${what}`);
    const bench = (await import(`./${known}.ts`)) as { run(args: readonly string[]): Promise<void> };
    await bench.run(args);
  }
}
