import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/program/program.ts';
import { MAIN } from '../prepare.ts';

const ROOT = join(import.meta.dirname, '../..');
const HAS_SCRIPT = spawnSync('script', ['--version']).status === 0;

/** What a command prints in a terminal of this many columns. */
function inTerminal(columns: number): string {
  const command = `stty cols ${columns}; exec ${process.execPath} ${MAIN} parse --formats`;
  return execFileSync('script', ['--quiet', '--command', command, '/dev/null'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
}

it.each([50, 80])('help fits into %d columns', async (columns) => {
  let help = '';
  const write = (text: string): void => {
    help += text;
  };
  const shown = { colour: false, interactive: false, width: columns, noteWidth: columns };
  expect(await run(['--help'], { out: write, note: write, ...shown })).toBe(0);
  expect(help.split('\n').filter((line) => line.length > columns)).toEqual([]);
});

describe.skipIf(!HAS_SCRIPT)('a terminal (skipped without `script`)', () => {
  it('that says it has no columns gets lines of 80 columns', () => {
    const shown = inTerminal(0);
    expect(shown.length).toBeGreaterThan(1_000);
    expect(shown).toBe(inTerminal(80));
    expect(shown).not.toBe(inTerminal(50));
  });
});
