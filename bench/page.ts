import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { chromium, type Page } from 'playwright-core';
import { openStore } from '../src/compose/store.ts';
import { loadConfig } from '../src/config/load.ts';
import { startNativeRedis } from '../test/native-redis.ts';
import { fillFleet } from './fleet-fill.ts';

const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(import.meta.dirname, '..', 'bin', 'lockhound.js');
const CHROMIUM = process.env['LOCKHOUND_CHROMIUM'] ?? '/usr/bin/chromium';
const FRAMES = 240;

/**
 * The live page over a large fleet in headless Chromium: [targets] [packages of each]. 10,000 targets of 250 packages have about
 * 50,000 open findings. `npm run bench -- page`.
 */
export async function run([targets = '10000', packages = '250']: readonly string[]): Promise<void> {
  const redis = await startNativeRedis();
  const environment = { REDIS_URL: redis.url, LOCKHOUND_LOG_LEVEL: 'warn' };
  const store = await openStore(loadConfig({ environment }), pino({ level: 'silent' }));
  try {
    await fillFleet(store, { targets: Number(targets), packages: Number(packages), distinct: 20_000 });
    await measureServer(environment);
  } finally {
    await store.close();
    await redis.close();
  }
}

async function measureServer(environment: Readonly<Record<string, string>>): Promise<void> {
  const server = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    const url = /http:\S+(?=\/api\/v1)/.exec(String((await lines.next()).value))?.[0] ?? '';
    while ((await fetch(`${url}/api/v1/fleet`)).status !== 200) await sleep(50);
    const { total } = (await (await fetch(`${url}/api/v1/findings/count`)).json()) as { total: number };
    console.log(`${total} open findings`);
    for (const orderBy of ['severity', 'targets', 'package', 'changedAt']) {
      const began = performance.now();
      await (await fetch(`${url}/api/v1/findings/issues?by=package&limit=100&orderBy=${orderBy}`)).text();
      console.log(`issues by ${orderBy}: ${Math.round(performance.now() - began)} ms`);
    }
    for (const by of ['label:team', 'age', 'due', 'owner']) {
      const found: number[] = [];
      for (let ask = 0; ask < 5; ask += 1) {
        const began = performance.now();
        await (await fetch(`${url}/api/v1/findings/breakdown?by=${by}`)).text();
        found.push(performance.now() - began);
      }
      print(`breakdown by ${by}`, found);
    }
    await measurePage(await browser.newPage({ viewport: { width: 1280, height: 1000 } }), url);
  } finally {
    await browser.close();
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
}

/** First contents by view. */
const VIEWS = [
  ['/', '.legend'],
  ['/issues', '.row-link'],
  ['/findings', '.row-link'],
  ['/targets', 'table.cards tbody tr'],
] as const;

async function measurePage(page: Page, url: string): Promise<void> {
  for (const [path, selector] of VIEWS) {
    const times: number[] = [];
    for (let load = 0; load < 5; load += 1) {
      const began = performance.now();
      await page.goto(url + path);
      await page.waitForSelector(selector);
      times.push(performance.now() - began);
    }
    print(`first contents of ${path}`, times);
  }
  await page.goto(`${url}/findings`);
  await page.waitForSelector('.row-link');
  const words = ['package-12', 'package-77', 'service-9', 'package-3456', 'team-3'];
  print('a word in the search', await times(page, 'input[type=search]', words));
  await times(page, 'input[type=search]', ['']);
  print(
    'a choice',
    await times(page, 'select[name=state]', ['all', 'resolved', 'open', 'suppressed', 'open']),
  );
  print('frames while scrolling', (await page.evaluate(SCROLL)) as number[]);
}

/** Times from an input until other rows, or none, are shown, by value. */
async function times(page: Page, selector: string, values: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const value of values) {
    found.push((await page.evaluate(`(${FILTER})(${JSON.stringify([selector, value])})`)) as number);
    await sleep(500);
  }
  return found;
}

/** Runs in the page. A filter that changes nothing ends after a second. */
const FILTER = `([selector, value]) => new Promise((resolve) => {
  const shown = () => document.querySelector('.table-view').textContent;
  const [control, before, began] = [document.querySelector(selector), shown(), performance.now()];
  control.value = value;
  control.dispatchEvent(new Event('input', { bubbles: true }));
  const watch = () => {
    const passed = performance.now() - began;
    if (shown() !== before || passed > 1000) resolve(passed);
    else requestAnimationFrame(watch);
  };
  watch();
})`;

const SCROLL = `new Promise((resolve) => {
  const [table, gaps] = [document.querySelector('.finding-table'), []];
  let last = performance.now();
  const step = () => {
    gaps.push(performance.now() - last);
    last = performance.now();
    table.scrollTop += 400;
    if (gaps.length < ${FRAMES}) requestAnimationFrame(step);
    else resolve(gaps);
  };
  requestAnimationFrame(step);
})`;

function print(name: string, found: readonly number[]): void {
  const sorted = found.toSorted((left, right) => left - right);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  console.log(`${name.padEnd(32)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`);
}
