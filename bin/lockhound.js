#!/usr/bin/env node
// Plain JavaScript that any Node can read, and nothing is imported before the check: the first line that an older Node
// prints is why it does not run.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `error: lockhound needs Node.js 22.19 or newer; this is ${process.versions.node} (${process.execPath})\n`,
  );
  process.exitCode = 2;
} else {
  start();
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
