import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const MODULE = new URL('../../src/cli/program/process-output.ts', import.meta.url).href;
/** More than any pipe holds. */
const LENGTH = 1_000_000;

/** Starts a program that writes a long text and `end` to standard output, and then `done` to standard error. */
function start(): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const script = `const { outputTo } = await import('${MODULE}');
    const { out } = outputTo(1);
    process.exitCode = 3; out('é'.repeat(${LENGTH})); out('end'); outputTo(2).out('done');`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  }) as ReturnType<typeof start>;
}

describe('standard output that is a pipe', () => {
  it('gets a text that is longer than the pipe', async () => {
    const child = start();
    const written = await text(child.stdout);
    expect(written.length).toBe(LENGTH + 3);
    expect(written.endsWith('éend')).toBe(true);
  });

  it('gets many texts in their order', async () => {
    const script = `const { outputTo } = await import('${MODULE}');
      const { out } = outputTo(1);
      for (let index = 0; index < 30; index += 1) out(String(index % 10).repeat(50_000));
      outputTo(2).out('done');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child.stderr, 'data');
    const written = await text(child.stdout);
    expect(written).toBe(Array.from({ length: 30 }, (_, index) => `${index % 10}`.repeat(50_000)).join(''));
  });

  it('may be closed by its reader', async () => {
    const child = start();
    child.stdout.once('data', () => (child.stdout as unknown as { destroy(): void }).destroy());
    const [[code], notes] = await Promise.all([once(child, 'close'), text(child.stderr)]);
    expect(code).toBe(0);
    expect(notes).toMatch(/done$/);
  });
});

it.skipIf(!existsSync('/dev/full'))('standard output without space is an error', () => {
  const full = openSync('/dev/full', 'w');
  const script = `const { outputTo } = await import('${MODULE}'); process.exitCode = 1; outputTo(1).out('text');`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error: standard output cannot be written: ENOSPC: .* \[file-unwritable\]\n$/);
});
