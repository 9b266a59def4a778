#!/usr/bin/env node
// Plain JavaScript that any Node can read, and nothing is imported before the check: the first line that an older Node
// prints is why it does not run.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `error: lockhound needs Node.js 22.19 or newer; this is ${process.versions.node} (${process.execPath})\n`,
  );
  process.exitCode = 2;
} else if (!answers(process.argv.slice(2))) {
  start();
}

/**
 * Answers `--version` and `--help` from files, because loading the program takes longer than the rest of the process. Returns
 * `false` for any other command line, for terminals, where help has their width, and when nothing was written.
 */
function answers([option, ...others]) {
  const isVersion = option === '--version' || option === '-V';
  if (others.length > 0 || (!isVersion && option !== '--help' && option !== '-h')) return false;
  const { fstatSync, readFileSync, statSync, writeSync } = process.getBuiltinModule('node:fs');
  try {
    const output = fstatSync(1);
    if (output.isCharacterDevice() && output.rdev !== statSync('/dev/null').rdev) return false;
    const file = new URL(isVersion ? '../package.json' : '../dist/bundle/help.txt', import.meta.url);
    const text = readFileSync(file, 'utf8');
    const answer = isVersion ? `${JSON.parse(text).version}\n` : text;
    const written = writeSync(1, answer);
    // A pipe that is nearly full takes a part.
    if (written < answer.length) process.stdout.write(answer.slice(written));
    return true;
  } catch {
    return false;
  }
}

/** Runs the bundle; a checkout that is not built runs from its sources. */
function start() {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const bundle = new URL('../dist/bundle/cli.js', import.meta.url);
  if (!existsSync(bundle)) return import('../src/cli/main.ts');
  cacheCompiledCode(new URL('../dist/compile-cache', import.meta.url));
  return import(bundle.href);
}

/**
 * Node keeps the compiled code beside the bundle, where only those can write who can write the code itself. Where that folder
 * cannot be written, nothing is kept.
 */
function cacheCompiledCode(folder) {
  const { enableCompileCache } = process.getBuiltinModule('node:module');
  const { fileURLToPath } = process.getBuiltinModule('node:url');
  const directory = fileURLToPath(folder);
  const canMove = major > 24 || (major === 24 && minor >= 12);
  enableCompileCache(canMove ? { directory, portable: true } : directory);
}
