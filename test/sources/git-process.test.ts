import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runGit, textOf } from '../../src/sources/git/git-process.ts';

it('waits for room many times without a listener for each', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'git-process-'));
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
  process.on('warning', onWarning);
  try {
    const git = {
      what: 'x',
      folder,
      environment: { PATH: process.env['PATH'] ?? '' },
      signal: new AbortController().signal,
    };
    // Each part is larger than what a pipe holds.
    const input = Array.from({ length: 30 }, () => 'x'.repeat(200_000));
    const hash = await runGit(git, ['hash-object', '--stdin'], { input, read: textOf('x', 100) });
    expect(hash).toMatch(/^[0-9a-f]{40}\n$/);
    // Warnings are emitted in the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', onWarning);
    rmSync(folder, { recursive: true });
  }
});
