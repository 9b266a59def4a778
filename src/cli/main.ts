import { setFlagsFromString } from 'node:v8';

// Left to itself V8 lets garbage grow to twice what a large scan needs; this halves the peak for a quarter more time.
// A worker does not: its garbage collections would hold up everything else for as long as seconds.
if (process.argv[2] !== 'worker') setFlagsFromString('--optimize-for-size');
const { run } = await import('./program.ts');
const { processTerminal } = await import('./terminal.ts');
process.exitCode = await run(process.argv.slice(2), processTerminal());
