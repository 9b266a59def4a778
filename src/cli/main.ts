#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  // Said before anything else is loaded: an older Node would fail on the first module that it does not know.
  process.stderr.write(`error: lockhound needs Node.js 22.19 or newer; this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  // Left to itself V8 lets garbage grow to twice what a large scan needs; this halves the peak for a quarter more time.
  setFlagsFromString('--optimize-for-size');
  const { run } = await import('./program.ts');
  const { processTerminal } = await import('./terminal.ts');
  process.exitCode = await run(process.argv.slice(2), processTerminal());
}
