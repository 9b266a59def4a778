import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject, Times } from './rows.ts';

const ROUNDS = 5;

/** A question to a running server by its path in the API. */
export interface ServerQuestion extends Subject {
  readonly path: string;
}

/**
 * Asks a running `lockhound serve` over HTTP, one question after the other, and resolves to the milliseconds of each. The first round, in
 * which the server reads what it keeps, is printed and does not count.
 */
export async function timeServer(
  main: string,
  config: string,
  questions: readonly ServerQuestion[],
): Promise<Times> {
  const began = performance.now();
  const server = spawn(process.execPath, [main, 'serve', '--port', '0', '--config', config], {
    env: { PATH: process.env['PATH'], LOCKHOUND_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const times = new Map<string, number[]>(questions.map(({ name }) => [name, []]));
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    const url = /http:\S+(?=\/api\/v1)/.exec(String((await lines.next()).value))?.[0] ?? '';
    while ((await fetch(`${url}/api/v1/fleet`)).status !== 200) await sleep(50);
    console.log(`the server is ready after ${Math.round(performance.now() - began)} ms`);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const { name, path } of questions) {
        const asked = performance.now();
        const answer = await fetch(`${url}/api/v1/${path}`);
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
        const time = performance.now() - asked;
        if (round > 0) times.get(name)?.push(time);
        else console.log(`first time: ${name}: ${Math.round(time)} ms, ${text.length} bytes`);
      }
    }
    return times;
  } finally {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
}
