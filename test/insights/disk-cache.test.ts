import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_SHARD_BYTES, openDiskCache } from '../../src/insights/disk-cache/disk-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'disk-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.parse('2026-11-20T00:00:00Z');
const DAY = 24 * 3_600_000;
const keys = (count: number) => Array.from({ length: count }, (_, index) => `NPM:package-${index}@1.0.0`);

function open(now = NOW, more: { readonly offline?: boolean; readonly service?: string } = {}) {
  const faults: string[] = [];
  const cache = openDiskCache({
    folder,
    service: 'https://insights.example',
    onFault: (message) => faults.push(message),
    now: () => now,
    ...more,
  });
  return { cache, faults };
}

/** Stores a value for each key, in a process of its own, so to speak. */
async function store(names: readonly string[], value: unknown = { record: 'x' }, now = NOW): Promise<void> {
  const { cache, faults } = open(now);
  await cache.setMany(
    'version-1',
    names.map((name) => [name, value] as const),
    DAY,
  );
  await cache.flush();
  expect(faults).toEqual([]);
}

async function known(names: readonly string[], ...options: Parameters<typeof open>): Promise<number> {
  const values = await open(...options).cache.getMany('version-1', names);
  return values.filter((value) => value !== undefined).length;
}

/** The files of the cache. */
function files(): readonly string[] {
  const [own = ''] = readdirSync(folder);
  return readdirSync(join(folder, own)).map((name) => join(folder, own, name));
}

describe('answers on the disk', () => {
  it('outlast the process until they expire, by kind and by service', async () => {
    await store(keys(500));
    expect(await known(keys(501))).toBe(500);
    expect(await known(keys(500), NOW + DAY - 1)).toBe(500);
    expect(await known(keys(500), NOW + DAY)).toBe(0);
    expect(await known(keys(500), NOW, { service: 'https://other.example' })).toBe(0);
    expect(await open().cache.getMany('advisory-3', keys(1))).toEqual([undefined]);
  });

  it('count at any age without network, and say how old they are', async () => {
    await store(keys(2), { record: 1 }, NOW - 3 * DAY);
    await store(['NPM:new@1.0.0'], { missing: true });
    const { cache } = open(NOW + DAY, { offline: true });
    expect(cache.ages()).toBeUndefined();
    expect(await cache.getMany('version-1', ['NPM:new@1.0.0', ...keys(3)])).toEqual([
      { missing: true },
      { record: 1 },
      { record: 1 },
      undefined,
    ]);
    expect(cache.ages()).toEqual({ oldest: NOW - 3 * DAY, newest: NOW });
  });

  it('are for their owner only, and hold neither the URL nor the credentials of the service', async () => {
    const { cache } = open(NOW, { service: 'https://user:hunter2@insights.example' });
    await cache.setMany('version-1', [['a', { record: 1 }]], DAY);
    await cache.flush();
    const [own = ''] = files();
    expect(statSync(own).mode & 0o777).toBe(0o600);
    expect(statSync(join(own, '..')).mode & 0o777).toBe(0o700);
    expect(readFileSync(own, 'utf8')).not.toMatch(/insights\.example|hunter2/);
    expect(own).not.toContain('insights');
  });

  it('are limited in size: the newest stay, and those of a month ago go', async () => {
    const large = 'x'.repeat(100_000);
    await store(keys(300), { record: large }, NOW - DAY);
    await store(keys(600).slice(300), { record: large }, NOW);
    await store(keys(5), { record: 'x'.repeat(200_000) });
    await store(['NPM:late@1.0.0'], { record: large }, NOW + 31 * DAY);
    for (const file of files()) expect(statSync(file).size).toBeLessThanOrEqual(MAX_SHARD_BYTES);
    const whole = readFileSync(files().find((file) => /\n/.test(readFileSync(file, 'utf8'))) ?? '', 'utf8');
    expect(whole.startsWith('lockhound look-ups 1\n')).toBe(true);
    expect(await known(['NPM:late@1.0.0'], NOW + 31 * DAY, { offline: true })).toBe(1);
  });
});

describe('files that are damaged or hostile', () => {
  const damages: Readonly<Record<string, (file: string) => void>> = {
    'cut off': (file) => truncateSync(file, statSync(file).size - 5),
    empty: (file) => truncateSync(file, 0),
    'of another version': (file) => writeFileSync(file, 'lockhound look-ups 2\n'),
    binary: (file) => writeFileSync(file, Buffer.alloc(1_000, 0xff)),
    'not JSON': (file) => writeFileSync(file, readFileSync(file, 'utf8').replaceAll('{', '[')),
    'much too large': (file) => truncateSync(file, 20_000_000_000),
    'a link to a device': (file) => {
      rmSync(file);
      symlinkSync('/dev/zero', file);
    },
    'a named pipe': (file) => {
      rmSync(file);
      execFileSync('mkfifo', [file]);
    },
  };

  it.each(Object.keys(damages))('are looked up again and replaced: %s', async (name) => {
    await store(keys(1));
    const [file = ''] = files();
    damages[name]?.(file);
    expect(await known(keys(1))).toBe(0);
    await store(keys(1));
    expect(await known(keys(1))).toBe(1);
  });

  it('that were made in the future count as absent', async () => {
    await store(keys(1), { record: 1 }, NOW + DAY);
    expect(await known(keys(1), NOW)).toBe(0);
  });

  it('that cannot be written are reported once', async () => {
    writeFileSync(join(folder, 'file'), '');
    const faults: string[] = [];
    const cache = openDiskCache({
      folder: join(folder, 'file'),
      service: 'x',
      onFault: (message) => faults.push(message),
    });
    await cache.setMany(
      'version-1',
      keys(50).map((key) => [key, 1] as const),
      DAY,
    );
    await cache.flush();
    expect(faults).toEqual([expect.stringContaining('the look-ups are not cached: ')]);
    expect(await cache.getMany('version-1', keys(1))).toEqual([1]);
  });

  it('that a killed process left behind are removed after an hour', async () => {
    await store(keys(1));
    const [file = ''] = files();
    for (const [name, ageMs] of [
      ['old', 2 * 3_600_000],
      ['new', 0],
    ] as const) {
      writeFileSync(`${file}.${name}.tmp`, 'half');
      utimesSync(`${file}.${name}.tmp`, (NOW - ageMs) / 1_000, (NOW - ageMs) / 1_000);
    }
    chmodSync(`${file}.old.tmp`, 0o600);
    mkdirSync(`${file}.folder`);
    await store(keys(1));
    expect(files().filter((one) => one.endsWith('.tmp'))).toEqual([`${file}.new.tmp`]);
  });
});

it('two processes that write at once leave whole files', async () => {
  const script = `
    import { openDiskCache } from ${JSON.stringify(join(import.meta.dirname, '../../src/insights/disk-cache/disk-cache.ts'))};
    const [folder, name] = process.argv.slice(2);
    for (let round = 0; round < 5; round += 1) {
      const cache = openDiskCache({ folder, service: 's', onFault: (message) => { throw new Error(message); } });
      await cache.setMany('k', Array.from({ length: 300 }, (_, at) => [name + round + at, { record: 'x'.repeat(500) }]), 1e9);
      await cache.flush();
    }`;
  const file = join(folder, 'writer.mts');
  writeFileSync(file, script);
  const target = join(folder, 'cache');
  const writers = ['a', 'b'].map((name) =>
    spawn(process.execPath, [file, target, name], { stdio: ['ignore', 'inherit', 'inherit'] }),
  );
  for (const [code] of await Promise.all(writers.map((writer) => once(writer, 'close'))))
    expect(code).toBe(0);
  const cache = openDiskCache({ folder: target, service: 's', onFault: () => {} });
  const all = ['a', 'b'].flatMap((name) => keys(300).map((_, at) => `${name}4${at}`));
  const values = await cache.getMany('k', all);
  const whole = values.filter((value) => value !== undefined);
  // Each may have lost entries of a file that both replaced.
  expect(whole.length).toBeGreaterThan(0);
  for (const value of whole) expect(value).toEqual({ record: 'x'.repeat(500) });
  const [own = ''] = readdirSync(target);
  for (const name of readdirSync(join(target, own))) {
    const lines = readFileSync(join(target, own, name), 'utf8').split('\n');
    expect(name).toMatch(/^[0-9a-f]{2}\.txt$/);
    expect(
      lines.slice(1).filter((line) => !/^[0-9a-f]{32} \d+ \d+ \{"record":"x{500}"\}$/.test(line)),
    ).toEqual(['']);
  }
});
