import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { startedAs } from '../../src/cli/demo.ts';
import { MAIN } from '../prepare.ts';
import { LIMIT_MS, until } from '../until.ts';

it('demo --serve answers for 12 targets until SIGTERM', async () => {
  const child = spawn(process.execPath, [MAIN, 'demo', '--serve', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close');
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  try {
    const url = await addressOf(child);
    const answer = await fetch(`${url}api/v1/targets`);
    const { targets } = (await answer.json()) as { targets: readonly { target: string }[] };
    expect(targets).toHaveLength(12);
    expect(targets.map(({ target }) => target)).toContain('shop');
    const ask = async (path: string) => JSON.parse(await (await fetch(`${url}api/v1/${path}`)).text());
    expect((await ask('fleet/trend?days=365')).days.length).toBeGreaterThan(360);
    expect(await ask('fleet')).toMatchObject({ failedDeliveries: 1, rejected: 1 });
    const { suppressions } = await ask('suppressions');
    const soon = suppressions.filter(
      ({ expires }: { expires?: string }) => Date.parse(expires ?? '') - Date.now() < 3 * 86_400_000,
    );
    expect([suppressions.length, soon.length]).toEqual([2, 1]);
    const { schedules } = await ask('schedules');
    expect(schedules.map(({ name }: { name: string }) => name)).toEqual(['admin-mirror', 'shop-nightly']);
    await until('a source cannot be read', async () => (await ask('fleet')).failingSources === 1);
  } finally {
    child.kill('SIGTERM');
  }
  expect(await closed).toEqual([0, null]);
  expect(errors).toBe('');
});

it('demo names commands as it was started', () => {
  expect(startedAs('/usr/local/bin/lockhound')).toBe('lockhound');
  expect(startedAs('/home/a/shop/node_modules/.bin/lockhound')).toBe('npx lockhound');
  expect(startedAs(join(process.cwd(), 'bin/lockhound.js'))).toBe('node bin/lockhound.js');
});

/** The address of the page, once the demo prints it. Rejects with the output when the demo ends without it. */
function addressOf(demo: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    demo.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /The page is at (\S+)\n/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    demo.once('close', () => reject(new Error(`the demo ended without a page: ${output}`)));
  });
}
