const BENCHES = {
  lockfiles: 'lets package managers write the lockfiles that `parse` reads; takes minutes',
  cold: 'whole processes from their start: --version, --help and parse, with an empty and a warm compile cache',
  parse: 'reading lockfiles, compared with the minimum work and with other readers',
  resolve: 'looking up purls: checks compared with JSON.parse, concurrent pages, purls per second',
  'event-loop': "the longest block of a worker's event loop while reading files, by format",
  judge: 'judging, comparing and routing 1,000 to 500,000 findings: time per finding, longest block',
  scan: 'a whole scan of it: cold cache, local services; time and memory',
  'large-scan':
    'one lockfile of 50,000 packages with findings through a real worker: each stage, longest pauses',
  worker:
    'two workers on a native Redis: scans a second, processor time and commands a scan, latency when idle',
  discovery: 'loading, indexing, validating a description document of 1 MB, compared with JSON.parse',
} as const;

const [name = 'all', ...args] = process.argv.slice(2);
if (name !== 'all' && !Object.hasOwn(BENCHES, name)) {
  console.error(`There is no bench "${name}". They are:`);
  for (const [known, what] of Object.entries(BENCHES)) console.error(`  ${known.padEnd(10)} ${what}`);
  process.exitCode = 2;
} else {
  for (const [known, what] of Object.entries(BENCHES)) {
    // Runs only when it is named, because it takes minutes and is needed once.
    if (
      name === 'all' ? known === 'lockfiles' || known === 'large-scan' || known === 'worker' : name !== known
    )
      continue;
    console.log(`\n# ${known}: ${what}`);
    const bench = (await import(`./${known}.ts`)) as { run(args: readonly string[]): Promise<void> };
    await bench.run(args);
  }
}
