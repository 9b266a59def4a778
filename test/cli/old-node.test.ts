import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const ENTRY = join(ROOT, 'bin', 'lockhound.js');
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Runs `lockhound --version` on a Node that reports this version. */
function runOn(version: string): Promise<{ code: number; out: string; note: string }> {
  const versions = `{ value: { ...process.versions, node: '${version}' } }`;
  const script =
    `Object.defineProperty(process, 'versions', ${versions});` +
    `process.argv.splice(1, process.argv.length, 'lockhound', '--version'); import('${ENTRY}')`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', script], (error, out, note) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, note });
    });
  });
}

describe('bin/lockhound.js', () => {
  it.each(['14.21.3', '18.20.4', '20.20.2', '22.18.0'])(
    'refuses Node %s in one line, the first',
    async (version) => {
      const { code, out, note } = await runOn(version);
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(note).toMatch(
        /^error: lockhound needs Node\.js 22\.19 or newer; this is \d+\.\d+\.\d+ \(.+\)\n$/,
      );
      expect(note).toContain(`this is ${version}`);
    },
  );

  it.each(['22.19.0', '23.0.0', '24.21.0'])('runs on Node %s', async (version) => {
    expect(await runOn(version)).toEqual({ code: 0, out: `${MANIFEST.version}\n`, note: '' });
  });

  it('is the installed command, and requires the Node version of the manifest', () => {
    expect(MANIFEST.bin.lockhound).toBe('bin/lockhound.js');
    expect(MANIFEST.engines.node).toBe('>=22.19');
    expect(MANIFEST.scripts.start).toContain('bin/lockhound.js');
    // An older Node reads the whole file before it runs any of it: nothing is imported statically.
    expect(readFileSync(ENTRY, 'utf8')).not.toMatch(/^\s*import\s+(?!\()/m);
  });
});
