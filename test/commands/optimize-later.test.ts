import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'optimize-later-'));
afterAll(() => rmSync(folder, { recursive: true }));

const COMMANDS = new URL('../../src/commands/', import.meta.url);

/** Functions that are called for each entry of a package-lock. */
const CALLED_OFTEN = ['visit', 'readEntry', 'draftLockedPackage', 'findUpwards', 'buildPurl'];

/** Reads a file with `parseFiles` in a process of its own. Returns which of these functions V8 optimizes fully, and the errors. */
async function optimizedBy(bytes: number): Promise<{ functions: readonly string[]; note: string }> {
  const path = join(folder, 'package-lock.json');
  const entries: string[] = [];
  for (let length = 0; length < bytes; ) {
    const entry = `"node_modules/p${entries.length}": {"version": "1.0.0", "license": "MIT", "engines": {"node": ">=18"}}`;
    entries.push(entry);
    length += entry.length + 2;
  }
  writeFileSync(path, `{"lockfileVersion": 3, "packages": {${entries.join(',\n')}}}`);
  const script = `
    const { parseFiles } = await import('${new URL('parse.ts', COMMANDS).href}');
    for await (const { lockfile } of parseFiles({ paths: ['${path}'] })) {
      if (lockfile.packages.length !== ${entries.length}) throw new Error('packages are missing');
    }`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--trace-opt', '--input-type=module', '-e', script],
    { maxBuffer: 100_000_000 },
  );
  const names = [...stdout.matchAll(/compiling method .*JSFunction (\S+) .*target TURBOFAN\w*\)/g)];
  return { functions: CALLED_OFTEN.filter((one) => names.some(([, name]) => name === one)), note: stderr };
}

describe.runIf(process.versions.node.startsWith('24.'))('parse of a large file', () => {
  it('leaves the last optimization to longer runs, and prints nothing about it', async () => {
    const small = await optimizedBy(1_000_000);
    const large = await optimizedBy(1_100_000);
    expect(small.functions).not.toEqual([]);
    expect(large).toEqual({ functions: [], note: '' });
  });
});
