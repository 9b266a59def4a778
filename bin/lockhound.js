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
  // A checkout runs from its sources, an installed package from what was built of them.
  import('node:fs').then(({ existsSync }) => {
    const source = new URL('../src/cli/main.ts', import.meta.url);
    return import(existsSync(source) ? source.href : new URL('../dist/cli/main.js', import.meta.url).href);
  });
}
