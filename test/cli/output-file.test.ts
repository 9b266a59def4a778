import { spawn } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { withOutputFile } from '../../src/cli/program/output-file.ts';
import { interruptible } from '../../src/cli/program/terminal.ts';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { MAIN } from '../prepare.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'output-file-'));
const lockfile = join(folder, 'package-lock.json');
const output = join(folder, 'result.txt');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  writeFileSync(lockfile, LOCKFILE);
});

const parse = (...args: readonly string[]) => lockhound(['parse', lockfile, ...args]);

describe('--output', () => {
  it('writes the result to the file and prints nothing', async () => {
    const printed = await parse('--json');
    expect(await parse('--json', '--output', output)).toMatchObject({ code: 0, out: '', note: '' });
    expect(readFileSync(output, 'utf8')).toBe(printed.out);
    expect(readdirSync(folder).toSorted()).toEqual(['package-lock.json', 'result.txt']);
  });

  it('does not change the file when the command fails', async () => {
    writeFileSync(output, 'from before');
    const { code } = await lockhound([
      'parse',
      join(folder, 'absent.json'),
      '--as',
      'no-such',
      '--output',
      output,
    ]);
    expect(code).toBe(2);
    expect(readFileSync(output, 'utf8')).toBe('from before');
    expect(readdirSync(folder).toSorted()).toEqual(['package-lock.json', 'result.txt']);
  });

  it('writes through a link and keeps it', async () => {
    writeFileSync(output, 'x'.repeat(100_000));
    const link = join(folder, 'link');
    symlinkSync(output, link);
    expect((await parse('--json', '--output', link)).code).toBe(0);
    expect(readlinkSync(link)).toBe(output);
    expect(JSON.parse(readFileSync(output, 'utf8')).packages).toHaveLength(4);
  });

  it('writes to a FIFO', async () => {
    const fifo = join(folder, 'fifo');
    await new Promise((resolve) => spawn('mkfifo', [fifo]).once('close', resolve));
    const reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'ignore'] });
    const read = text(reader.stdout);
    const writer = spawn(process.execPath, [MAIN, 'parse', lockfile, '--json', '--output', fifo]);
    const code = await new Promise((resolve) => writer.once('close', resolve));
    expect(code).toBe(0);
    expect(JSON.parse(await read).packages).toHaveLength(4);
  });

  it.each([
    ['a folder', '.', /^error: \S+: is a folder; name a file \[file-unwritable\]/],
    [
      'a file in no folder',
      'no/such/folder/file',
      /^error: \S+: its folder does not exist \[file-unwritable\]/,
    ],
  ])('refuses %s in one line', async (_name, path, message) => {
    const { code, note } = await parse('--output', join(folder, path));
    expect(code).toBe(2);
    expect(note).toMatch(message);
    expect(note.trim().split('\n')).toHaveLength(1);
  });
});

describe('lockhound complete', () => {
  async function complete(...args: readonly string[]): Promise<string> {
    const printed = vi.spyOn(console, 'log').mockReturnValue();
    try {
      await lockhound(['complete', ...args]);
      return printed.mock.calls.flat().join('\n');
    } finally {
      printed.mockRestore();
    }
  }

  // test/testing/packed.test.ts calls the program as the scripts do.
  it('knows commands, their options and the values of options', async () => {
    expect(await complete('--', 'sc')).toMatch(/^scan\t/m);
    expect(await complete('--', 'scan', '--fail')).toMatch(/^--fail-on\t/m);
    expect(await complete('--', 'scan', '--format', '')).toMatch(/^json/m);
    expect(await complete('--', 'deliveries', '')).toMatch(/^retry\t/m);
  });

  it.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s that calls it', async (shell) => {
    expect(await complete(shell)).toContain('lockhound');
  });
});

describe('text that does not go to a terminal', () => {
  it('has one line for each entry, regardless of its length', async () => {
    const long = join(folder, `${'long-name-'.repeat(15)}package-lock.json`);
    writeFileSync(long, LOCKFILE);
    const args = ['parse', long, '--as', 'npm-package-lock'];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
    const piped = (await text(child.stdout)).split('\n');
    expect(piped[0]).toBe(`${long}  npm-package-lock`);
    expect(await lockhound([...args, '--output', output])).toMatchObject({ code: 0 });
    expect(readFileSync(output, 'utf8').split('\n')).toEqual(piped);
  });
});

describe('a command that a signal interrupts', () => {
  it('exits with 128 and the number of the signal, and leaves no output', async () => {
    const interrupted = withOutputFile(output, async (write) => {
      write('half');
      return await interruptible(async (signal) => {
        process.emit('SIGTERM', 'SIGTERM');
        signal.throwIfAborted();
      });
    });
    await expect(interrupted).rejects.toMatchObject({ message: 'interrupted by SIGTERM', exitCode: 143 });
    expect(readdirSync(folder)).not.toContain('result.txt');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
