import { run } from './program/program.ts';
import { processTerminal } from './program/terminal.ts';

process.exitCode = await run(process.argv.slice(2), processTerminal());
