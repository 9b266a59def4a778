import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBundle, readKey, writeBundle } from '../../src/advisories/bundle.ts';
import { openAdvisories } from '../../src/advisories/database.ts';
import { importBundle, importOsv } from '../../src/advisories/import-osv.ts';
import { feedOf } from '../../src/exploits/feed.ts';
import { readFeedFile } from '../../src/exploits/read-feed.ts';
import type { OsvRecord } from '../../src/model/advisories/osv-record.ts';
import { EPSS_CSV } from '../exploits/lists.ts';

const signal = new AbortController().signal;
const KEYS = generateKeyPairSync('ed25519');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockhound-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (day: number) => `2026-05-${String(day).padStart(2, '0')}T00:00:00.000Z`;
const record = (id: string, day: number): OsvRecord => ({
  id,
  modified: at(day),
  title: `Issue ${id}`,
  aliases: [],
  affected: [{ system: 'NPM', name: 'left', versions: [], ranges: [[['introduced', '0']]] }],
});
const bundle = () => join(folder, 'advisories.bundle');
const COVERAGE = { system: 'NPM', records: 2, asOf: at(2), importedAt: at(3), source: 'all.zip' } as const;

async function write(
  records: readonly OsvRecord[],
  more: { createdAt?: string; since?: string; key?: KeyObject } = {},
) {
  writeFileSync(join(folder, 'epss.csv'), EPSS_CSV);
  const list = feedOf('epss', await readFeedFile('epss', join(folder, 'epss.csv')), {
    source: 'a file',
    importedAt: at(1),
  });
  const content = { coverage: [COVERAGE], lists: [list], records };
  return await writeBundle(bundle(), content, { createdAt: at(10), ...more });
}

async function imported(key?: KeyObject) {
  const opened = await openBundle(bundle(), key);
  const lists = await opened.lists();
  const result = await importBundle(opened, { path: join(folder, 'other', 'advisories.sqlite'), signal });
  return { ...result, lists };
}

async function stored() {
  const advisories = await openAdvisories(join(folder, 'other', 'advisories.sqlite'));
  try {
    return [...advisories.records()];
  } finally {
    advisories.close();
  }
}

describe('a bundle', () => {
  it('carries all advisories and lists, and is signed', async () => {
    const records = Array.from({ length: 3_000 }, (_, index) => record(`A-${index}`, 2));
    const head = await write(records, { key: KEYS.privateKey });
    expect(head).toMatchObject({
      advisories: 3_000,
      coverage: [COVERAGE],
      lists: [{ feed: 'epss', entries: 5 }],
    });
    const { lists, ...result } = await imported(KEYS.publicKey);
    expect(result).toMatchObject({
      verified: true,
      stored: 3_000,
      older: 0,
      coverage: [{ system: 'NPM', asOf: at(2) }],
    });
    expect(lists).toMatchObject([{ head: { feed: 'epss', entries: 5 } }]);
    expect(
      (await stored()).toSorted((one, other) => Number(one.id.slice(2)) - Number(other.id.slice(2))),
    ).toEqual(records);
    expect(readdirSync(folder).filter((name) => /\.(?:tmp|body)$/.test(name))).toEqual([]);
  });

  it('may have only what changed since the last one', async () => {
    await write([record('A-1', 1), record('A-2', 2)]);
    await imported();
    await write([record('A-2', 11)], { createdAt: at(12), since: at(10) });
    expect(await imported()).toMatchObject({ stored: 1, createdAt: at(12) });
    expect((await stored()).map(({ id, modified }) => [id, modified])).toEqual([
      ['A-1', at(1)],
      ['A-2', at(11)],
    ]);
    await write([record('A-3', 15)], { createdAt: at(16), since: at(14) });
    await expect(imported()).rejects.toMatchObject({ code: 'older' });
    await write([record('A-1', 1)], { createdAt: at(11) });
    await expect(imported()).rejects.toMatchObject({ code: 'older' });
    expect((await stored()).length).toBe(2);
  });

  it.each<[string, (content: Buffer) => Buffer, string]>([
    ['is cut', (content) => content.subarray(0, content.length - 9), 'damaged'],
    ['was changed', (content) => content.with(content.length - 20, 1) as Buffer, 'damaged'],
    [
      'has another head',
      (content) =>
        Buffer.from(content.toString('latin1').replace('"advisories":2', '"advisories":3'), 'latin1'),
      'not-verified',
    ],
    ['is another file', () => Buffer.from('PK\n\nnothing'), 'damaged'],
    ['is empty', () => Buffer.alloc(0), 'damaged'],
  ])('that %s is refused, and leaves what was stored', async (_, change, code) => {
    await write([record('A-1', 1), record('A-2', 2)], { key: KEYS.privateKey });
    await imported(KEYS.publicKey);
    writeFileSync(bundle(), change(readFileSync(bundle())));
    await expect(imported(KEYS.publicKey)).rejects.toMatchObject({ code });
    expect((await stored()).length).toBe(2);
  });

  it('of another key or none is refused where one is expected', async () => {
    await write([record('A-1', 1)]);
    await expect(imported(KEYS.publicKey)).rejects.toMatchObject({ code: 'not-verified' });
    await write([record('A-1', 1)], { key: generateKeyPairSync('ed25519').privateKey });
    await expect(imported(KEYS.publicKey)).rejects.toMatchObject({ code: 'not-verified' });
    expect(await imported()).toMatchObject({ verified: false });
  });

  it('has keys in PEM files', async () => {
    const path = join(folder, 'key.pem');
    writeFileSync(path, KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect((await readKey(path, 'private')).type).toBe('private');
    for (const [kind, content] of [
      ['private', 'nothing'],
      [
        'public',
        generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({
          type: 'spki',
          format: 'pem',
        }),
      ],
    ] as const) {
      writeFileSync(path, content);
      await expect(readKey(path, kind)).rejects.toMatchObject({ code: 'not-verified' });
    }
  });

  it('of what was imported is read as it was imported', async () => {
    const given = { ...record('A-1', 1), withdrawn: at(1), affected: [] };
    writeFileSync(
      join(folder, 'one.json'),
      JSON.stringify([
        { ...given, summary: 'x' },
        {
          id: 'A-2',
          modified: at(2),
          affected: [{ package: { ecosystem: 'npm', name: 'b' }, versions: ['1.0.0'] }],
        },
      ]),
    );
    const path = join(folder, 'advisories.sqlite');
    await importOsv({ path, from: join(folder, 'one.json'), signal });
    const advisories = await openAdvisories(path);
    expect([...advisories.records()]).toMatchObject([
      { id: 'A-1', withdrawn: at(1), affected: [] },
      { id: 'A-2', affected: [{ name: 'b', versions: ['1.0.0'] }] },
    ]);
    expect([...advisories.records(Date.parse(at(2)))].map(({ id }) => id)).toEqual(['A-2']);
    advisories.close();
  });
});
