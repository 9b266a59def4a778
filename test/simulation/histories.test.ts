import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { allMutants } from '../../simulation/mutate/select.ts';

const MAIN = join(import.meta.dirname, '../../simulation/main.ts');
/** `SIMULATED_HISTORIES`: more of them. */
const COUNT = Number(process.env['SIMULATED_HISTORIES'] ?? 8);

async function simulate(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { maxBuffer: 1 << 26 });
  return stdout;
}

// The same ones each time: what other seeds find has to be understood, and does not belong to the change that is tested.
const FROM = Number(process.env['SIMULATED_FROM'] ?? 8_000);
let output = '';

it('tells every change once, in order, whatever fails', async () => {
  output = await simulate('--from', `${FROM}`, '--count', `${COUNT}`).catch(
    (error: { stdout: string }) => error.stdout,
  );
  expect(output, `SIMULATED_FROM=${FROM}`).toContain(`${COUNT} histories, 0 failed`);
});

it('repeats a history event by event, in another process and after other histories', async () => {
  const history = /seed (\d+): ok, [0-9a-f]{64}, \d+ changes, (\d+) events/g;
  // The shortest one that is not the first.
  const [, ...others] = output.matchAll(history);
  const [shortest] = others.sort((left, right) => Number(left[2]) - Number(right[2]));
  const alone = await simulate('--seed', `${shortest?.[1]}`);
  expect(alone.match(history)).toEqual([shortest?.[0]]);
});

it('plants a fault in the processes that run histories: a scan repeats the last one, which lacked a package', async () => {
  const repeated = allMutants().find(
    ({ before, after }) => before === 'basis.counts.outcomes.missing > 0' && after === 'false',
  );
  // Its first round has such a package.
  const planted = ['--from', '8000', '--count', '1', '--mutant', repeated?.id ?? 'none'];
  const came = await simulate(...planted).catch((error: { stdout: string }) => error.stdout);
  expect(came).toContain('1 histories, 1 failed');
  expect(came).toMatch(/lost: target-\d late-0 \S+ is critical, the receiver knows nothing/);
});
