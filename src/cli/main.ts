import { run } from './program.ts';
import { processTerminal } from './terminal.ts';

// Left to itself V8 lets garbage grow to twice what a large scan needs; this halves the peak for a quarter more time. Other commands
// do without it: changing a flag makes V8 compile everything again that it had compiled before.
if (process.argv[2] === 'scan') {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--optimize-for-size');
}
process.exitCode = await run(process.argv.slice(2), processTerminal());
