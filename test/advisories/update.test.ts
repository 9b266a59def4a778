import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openAdvisories } from '../../src/advisories/database.ts';
import { importOsv } from '../../src/advisories/import-osv.ts';
import { updateOsv } from '../../src/advisories/update-osv.ts';
import type { HttpClient } from '../../src/http/client.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { MAIN } from '../prepare.ts';
import { randomOf } from '../seeded-random.ts';
import { createFeedServer } from './feed-server.ts';

const http = createHttpClient();
let server: Awaited<ReturnType<typeof createFeedServer>>;
let folder: string;
beforeAll(async () => {
  server = await createFeedServer();
});
afterAll(async () => {
  await server.close();
  await http.close();
});
beforeEach(async () => {
  server.reset();
  folder = mkdtempSync(join(tmpdir(), 'lockhound-update-'));
  await importRecord('OLD-1', '2026-06-01T00:00:00Z');
});
afterEach(() => rmSync(folder, { recursive: true }));

const path = () => join(folder, 'advisories.sqlite');
const at = (minute: number) => new Date(Date.UTC(2026, 5, 2, 0, minute)).toISOString();

async function importRecord(id: string, modified: string): Promise<void> {
  const affected = [{ package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] }];
  writeFileSync(join(folder, 'record.json'), JSON.stringify({ id, modified, affected }));
  const signal = new AbortController().signal;
  await importOsv({ path: path(), from: join(folder, 'record.json'), signal });
}

const update = (client: HttpClient = http, signal = new AbortController().signal) =>
  updateOsv({ path: path(), url: server.url, ecosystems: ['npm', 'PyPI'], http: client, signal });

async function stored() {
  const advisories = await openAdvisories(path());
  try {
    return {
      ids: (advisories.about('NPM', ['left']).get('left') ?? []).map(({ id }) => id).sort(),
      asOf: advisories.coverage()[0]?.asOf,
    };
  } finally {
    advisories.close();
  }
}

it('adds what changed since the import, and costs one request when nothing did', async () => {
  server.put('A-0', '2026-05-01T00:00:00Z');
  for (let count = 1; count <= 3; count += 1) server.put(`A-${count}`, at(count));
  const { ecosystems, coverage } = await update();
  expect(ecosystems).toEqual([
    { ecosystem: 'npm', stored: 3, older: 0, rejected: 0, problems: [], until: at(3) },
  ]);
  expect(coverage).toMatchObject([{ system: 'NPM', records: 4, asOf: at(3), source: `${server.url}/` }]);
  expect((await stored()).ids).toEqual(['A-1', 'A-2', 'A-3', 'OLD-1']);
  server.requests.length = 0;
  expect((await update()).ecosystems).toMatchObject([{ stored: 0, until: at(3) }]);
  expect(server.requests).toEqual(['/npm/modified_id.csv 304']);
});

it('reads more changes than one reading has', async () => {
  for (let count = 0; count < 1_200; count += 1) server.put(`A-${count}`, at(count));
  expect((await update()).ecosystems).toMatchObject([{ stored: 1_200, rejected: 0 }]);
  expect((await stored()).ids.length).toBe(1_201);
});

it('removes what is withdrawn, and goes on from an import that came later', async () => {
  server.put('OLD-1', at(1), {
    body: JSON.stringify({ id: 'OLD-1', modified: at(1), withdrawn: at(1), affected: [] }),
  });
  await update();
  expect((await stored()).ids).toEqual([]);
  await importRecord('NEW-1', at(600));
  server.put('A-1', at(700));
  server.put('A-2', at(2));
  const { ecosystems } = await update();
  expect(ecosystems).toMatchObject([{ stored: 1 }]);
  expect((await stored()).ids).toEqual(['A-1', 'NEW-1']);
});

it('keeps out records that cannot be read, says so, and requests them again', async () => {
  const now = new Date(Date.now() - 60_000).toISOString();
  server.put('A-1', now, { body: '{"id": "A-1"' });
  server.put('A-2', now);
  expect((await update()).ecosystems).toMatchObject([
    { stored: 1, rejected: 1, problems: [expect.stringMatching(/^A-1: .*JSON/)] },
  ]);
  expect((await stored()).ids).toEqual(['A-2', 'OLD-1']);
  server.put('A-1', now);
  expect((await update()).ecosystems).toMatchObject([{ stored: 1, rejected: 0 }]);
  expect((await stored()).ids).toEqual(['A-1', 'A-2', 'OLD-1']);
});

it.each<[string, () => void]>([
  ['that fails', () => server.fail(503)],
  ['that is forbidden', () => server.fail(403)],
])('a list %s leaves every byte that is stored', async (_, fail) => {
  const before = readFileSync(path());
  fail();
  expect((await update()).ecosystems).toMatchObject([{ stored: 0, fault: expect.stringMatching(/HTTP/) }]);
  expect(readFileSync(path()).equals(before)).toBe(true);
});

it('that is interrupted at any request leaves what is stored whole, and the next one completes it', async () => {
  for (let count = 1; count <= 12; count += 1) server.put(`A-${count}`, at(count));
  for (let stopAt = 1; stopAt <= 13; stopAt += 1) {
    const stopping = new AbortController();
    let requests = 0;
    const stopped: HttpClient = {
      send(request) {
        requests += 1;
        if (requests === stopAt) stopping.abort(new Error('stopped'));
        return http.send(request);
      },
      close: async () => undefined,
    };
    await expect(update(stopped, stopping.signal)).rejects.toThrow('stopped');
    expect(await stored()).toEqual({ ids: ['OLD-1'], asOf: '2026-06-01T00:00:00Z' });
  }
  await update();
  expect((await stored()).ids.length).toBe(13);
});

it('an imported record of a time that has not come does not hide what changes until then', async () => {
  await importRecord('LIE-1', '2099-01-01T00:00:00Z');
  server.put('A-1', at(1));
  await update();
  expect((await stored()).ids).toEqual(['A-1', 'LIE-1', 'OLD-1']);
});

/** Runs `lockhound data update`, and kills it at the given number of requests, or of changes of its files. Resolves to its signal. */
async function killedAt(what: 'request' | 'file', number: number): Promise<NodeJS.Signals | null> {
  const environment = {
    PATH: process.env['PATH'],
    LOCKHOUND_DATA_FOLDER: folder,
    LOCKHOUND_DATA_OSV_URL: server.url,
  };
  const child = spawn(process.execPath, [MAIN, 'data', 'update'], { env: environment, stdio: 'ignore' });
  let count = 0;
  const kill = () => {
    count += 1;
    if (count === number) child.kill('SIGKILL');
  };
  const files = watch(folder, (_, name) => {
    if (what === 'file' && String(name).startsWith('advisories.sqlite')) kill();
  });
  if (what === 'request') server.arrivals.on('request', kill);
  const [, signal] = await once(child, 'exit');
  server.arrivals.removeAllListeners('request');
  files.close();
  return signal as NodeJS.Signals | null;
}

it('killed at any request or change of a file leaves what is stored, and the next one completes it', async () => {
  const random = randomOf('UPDATE_KILL_SEED');
  const changes = 40;
  for (let count = 0; count < changes; count += 1) server.put(`A-${count}`, at(count));
  const points = [
    // Another test interrupts it at each request.
    ['request', 1 + Math.floor(random() * (changes + 1))] as const,
    ...[1, 2 + Math.floor(random() * 22)].map((number) => ['file', number] as const),
  ];
  let kills = 0;
  for (const [what, number] of points) {
    const signal = await killedAt(what, number);
    const { ids } = await stored();
    // All or nothing: the last points may come after the end.
    expect([1, changes + 1], `${what} ${number}`).toContain(ids.length);
    expect(ids.includes('OLD-1')).toBe(true);
    if (signal === 'SIGKILL') kills += 1;
    else expect(ids.length).toBe(changes + 1);
    await update();
    expect((await stored()).ids.length).toBe(changes + 1);
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
    rmSync(path());
    await importRecord('OLD-1', '2026-06-01T00:00:00Z');
  }
  expect(kills).toBeGreaterThanOrEqual(2);
});
