import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bareEnvironment } from '../bare-environment.ts';
import { until } from '../until.ts';

/** In place of npm: linear time takes ten minutes in a process of its own, and the step that runs beside it fails once that has begun. */
const NPM = `#!/bin/sh
case "$*" in
  *linear-time*) sleep 600 & echo $! >linear; wait ;;
  'run lint') until [ -s linear ]; do sleep 0.02; done; exit 3 ;;
esac
`;

function runs(pid: number): boolean {
  try {
    // A process that has ended and that nobody has waited for is in state Z.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

it('.ci/run ends what runs beside a step that fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
  mkdirSync(join(folder, 'bin'));
  cpSync(join(import.meta.dirname, '../../.ci/run'), join(folder, '.ci/run'));
  writeFileSync(join(folder, 'bin/npm'), NPM, { mode: 0o755 });
  writeFileSync(join(folder, 'bin/redis-server'), '', { mode: 0o755 });
  const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`;
  const env = { ...bareEnvironment(), PATH, TMPDIR: folder };
  const { status } = spawnSync('bash', [join(folder, '.ci/run')], { env, stdio: 'ignore' });
  const linear = Number(readFileSync(join(folder, 'linear'), 'utf8'));
  try {
    expect(status).toBe(3);
    await until('the end of linear time', () => !runs(linear));
  } finally {
    if (runs(linear)) process.kill(linear, 'SIGKILL');
    rmSync(folder, { recursive: true });
  }
});
