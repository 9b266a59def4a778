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
/** The first history of one process, and the last one of another. */
const REPEATED = FROM + Math.floor(COUNT / 2);
const HISTORY = /^seed (\d+): ok, [0-9a-f]{64}, \d+ changes, \d+ events/gm;
const ok: string[] = [];

it('tells every change once, in order, whatever fails', async () => {
  for (const [first, last] of [
    [FROM, REPEATED],
    [REPEATED, FROM + COUNT - 1],
  ] as const) {
    const part = await simulate('--part', '--from', `${first}`, '--count', `${last - first + 1}`);
    const own = part.match(HISTORY) ?? [];
    expect(own.length, `SIMULATED_FROM=${first}\n${part}`).toBe(last - first + 1);
    ok.push(...own);
  }
});

it('repeats a history event by event, in another process and after other histories', () => {
  const [one, other, ...more] = ok.filter((line) => line.startsWith(`seed ${REPEATED}:`));
  expect(one).toMatch(HISTORY);
  expect([other, more]).toEqual([one, []]);
});

// The first round of the one has a package that the index gets late, and the other one waits for a reminder.
it.each([
  {
    name: 'a scan repeats the last one, which lacked a package',
    seed: 8000,
    before: 'basis.counts.outcomes.missing > 0',
    after: 'false',
    failure: /lost: target-\d late-0 \S+ is critical, the receiver knows nothing/,
  },
  {
    name: 'no reminder is sent',
    seed: 914_007,
    before: '!reminded.has(rule.name)',
    after: 'true',
    failure: /the reminder of \S+ lacks target-0 /,
  },
])('plants a fault in the processes that run histories: $name', async ({ seed, before, after, failure }) => {
  const mutant = allMutants().find((one) => one.before === before && one.after === after);
  const planted = ['--from', `${seed}`, '--count', '1', '--mutant', mutant?.id ?? 'none'];
  const came = await simulate(...planted).catch((error: { stdout: string }) => error.stdout);
  expect(came).toContain('1 histories, 1 failed');
  expect(came).toMatch(failure);
});
