import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { importedCoverage } from '../../src/advisories/database.ts';
import { importOsv } from '../../src/advisories/import-osv.ts';
import { storedLists } from '../../src/commands/data.ts';
import { INSIGHTS_CHECKS } from '../../src/commands/doctor/insights-checks.ts';
import { openAdvisoryIndex } from '../../src/compose/advisory-index.ts';
import { createDeferredLog } from '../../src/compose/deferred-log.ts';
import { currentData } from '../../src/compose/exploits.ts';
import { NO_ROUTING } from '../../src/compose/ports.ts';
import { openScanner } from '../../src/compose/scanner.ts';
import { loadConfig } from '../../src/config/load.ts';
import { NO_EXPLOIT_DATA } from '../../src/model/exploits/exploit-data.ts';
import { type DataFault, dataFaults } from '../../src/model/telemetry.ts';
import { lazyGate } from '../../src/operations/context.ts';
import { compareScan } from '../../src/scan/compare.ts';
import { inventoryGaps } from '../../src/scan/gaps.ts';
import { POLICY } from '../policy/facts.ts';
import { unhandledDuring } from '../unhandled.ts';

let folder: string;
let faults: DataFault[];
let end: () => void;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outdated-'));
  faults = [];
  end = dataFaults.subscribe((fault) => void faults.push(fault));
});
afterEach(() => {
  end();
  rmSync(folder, { recursive: true });
});

it('imported advisories that are damaged are used as they were, which is said until they can be read', async () => {
  const path = join(folder, 'advisories.sqlite');
  const affected = [{ package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] }];
  const from = join(folder, 'record.json');
  writeFileSync(from, JSON.stringify({ id: 'A-1', modified: '2026-05-01T00:00:00Z', affected }));
  await importOsv({ path, from, signal: new AbortController().signal });
  const whole = readFileSync(path);
  const index = await openAdvisoryIndex(folder);
  expect((await index.current()).fault).toBeUndefined();
  const replace = (content: string | Buffer): void => {
    writeFileSync(`${path}.other`, content);
    renameSync(`${path}.other`, path);
  };
  const expectAsBefore = ({ fault, affecting }: Awaited<ReturnType<typeof index.current>>) => {
    expect(fault).toMatch(/cannot be read.*\(those in use are as of 2026-05-01T00:00:00Z\)$/);
    expect(affecting([{ system: 'NPM', name: 'left', version: '1.0.0' }])).toEqual([{ own: ['A-1'] }]);
  };
  replace('no database');
  // Others ask while it is read again.
  const asked = [];
  for (let count = 0; count < 50; count += 1) {
    asked.push(index.current());
    await undefined;
  }
  for (const one of await Promise.all(asked)) expectAsBefore(one);
  expectAsBefore(await index.current());
  // The system says neither that it is there nor that it is not.
  symlinkSync('advisories.sqlite', `${path}.other`);
  renameSync(`${path}.other`, path);
  expectAsBefore(await index.current());
  await expect(openAdvisoryIndex(folder)).rejects.toMatchObject({ code: 'database-damaged' });
  await expect(importedCoverage(folder)).rejects.toMatchObject({ code: 'database-damaged' });
  replace(whole);
  expect((await index.current()).fault).toBeUndefined();
  expect(faults.map(({ data, reason }) => [data, reason === undefined])).toEqual([
    ['imported advisories', false],
    ['imported advisories', false],
    ['imported advisories', true],
  ]);
  await index.close();
});

it('the gate opens once imported advisories can be read, and closes before, too', async () => {
  const environment = { LOCKHOUND_INSIGHTS_SOURCES: 'osv', LOCKHOUND_DATA_FOLDER: folder };
  const {
    config: { policy: _, ...config },
    ...others
  } = loadConfig({ environment });
  const gate = lazyGate(
    { config, ...others } as never,
    { shards: [], policy: POLICY } as never,
    async () => NO_EXPLOIT_DATA,
  );
  await expect(gate.open()).rejects.toMatchObject({ code: 'database-missing' });
  await gate.close();
  const from = join(folder, 'record.json');
  writeFileSync(from, JSON.stringify({ id: 'A-1', modified: '2026-05-01T00:00:00Z', affected: [] }));
  const { signal } = new AbortController();
  await importOsv({ path: join(folder, 'advisories.sqlite'), from, signal });
  await (await gate.open()).close();
});

it('every place of imported lists that cannot be read is shown with its fault', async () => {
  for (const name of ['kev.list', 'advisories.sqlite']) writeFileSync(join(folder, name), 'damaged');
  const loaded = loadConfig({ environment: { LOCKHOUND_DATA_FOLDER: folder } });
  const unhandled = await unhandledDuring(async () => {
    expect(await storedLists(loaded)).toMatchObject([
      { place: folder, fault: expect.stringContaining('kev') },
    ]);
    await expect(importedCoverage(folder)).rejects.toThrow();
  });
  expect(unhandled).toEqual([]);
});

it('lists that the system does not show are a gap of a scan, and not absent', async () => {
  symlinkSync('kev.list', join(folder, 'kev.list'));
  const loaded = loadConfig({ environment: { LOCKHOUND_DATA_FOLDER: folder } });
  const scanner = await openScanner(loaded, {
    log: createDeferredLog(loaded),
    signal: new AbortController().signal,
    onWait() {},
    onProgress() {},
  });
  expect(scanner.exploits.fault).toMatch(/kev\.list/);
  await scanner.close();
});

it('all who ask for imported advisories in one turn share one look, which sees what changed before it', async () => {
  const path = join(folder, 'advisories.sqlite');
  const from = join(folder, 'record.json');
  const affected = [{ package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] }];
  const changed = { id: 'A-1', modified: '2026-06-01T00:00:00Z', title: '', aliases: [], affected: [] };
  writeFileSync(from, JSON.stringify({ id: 'A-1', modified: '2026-05-01T00:00:00Z', affected }));
  await importOsv({ path, from, signal: new AbortController().signal });
  let [looks, revision] = [0, '1'];
  const changes = {
    revision: async () => {
      looks += 1;
      return revision;
    },
    records: async () => (revision === '1' ? [] : [changed]),
  };
  const index = await openAdvisoryIndex(folder, changes);
  looks = 0;
  const left = [{ system: 'NPM', name: 'left', version: '1.0.0' }] as const;
  const ask = async () => await Promise.all(Array.from({ length: 20 }, async () => await index.current()));
  const before = await ask();
  expect(looks).toBe(1);
  expect(before.map(({ affecting }) => affecting(left))).toEqual(before.map(() => [{ own: ['A-1'] }]));
  const asked = index.current();
  // It changes before the look begins.
  revision = '2';
  expect((await asked).affecting(left)).toEqual([{ own: [] }]);
  expect((await ask()).every(({ affecting }) => affecting(left)[0]?.own.length === 0)).toBe(true);
  await index.close();
});

it('a scan that used older advisories is incomplete, and says why', async () => {
  expect(await inventoryGaps({ lockfiles: [], unread: [], outdated: 'it is damaged' })).toEqual([
    {
      kind: 'service',
      subject: 'imported advisories',
      reason: 'those that were read before are used, so later ones are not known: it is damaged',
    },
  ]);
});

it('lists about exploitation that are damaged are used as they were, and scans say so', async () => {
  let damage: Error | undefined;
  const reasons: string[] = [];
  const store = {
    heads: async () => {
      if (damage !== undefined) throw damage;
      return [];
    },
    read: async () => undefined,
    write: async () => {},
  };
  const current = currentData(store, (reason) => reasons.push(reason));
  const before = await current();
  damage = new Error('the list is damaged');
  const during = await current();
  expect(during).toBe(await current());
  expect(during.fault).toBe('the list is damaged (in use: nothing)');
  const { verdict } = await compareScan(
    {
      ...{ scan: 's', target: { id: 't', labels: {} }, requestedAt: '2026-01-01T00:00:00Z', judgedAt: 0 },
      ...{
        partial: false,
        paths: [],
        previous: undefined,
        firstScan: 'all' as const,
        findings: [],
        gaps: [],
      },
      ...{ stillOpen: () => undefined, inventory: { lockfiles: [], unread: [] }, exploits: during },
    },
    { routing: NO_ROUTING, policy: POLICY, suppressions: [] },
  );
  expect(verdict.gaps).toEqual([{ kind: 'advisory', subject: 'KEV and EPSS', reason: during.fault }]);
  damage = undefined;
  expect(await current()).toBe(before);
  expect(reasons.length).toBe(1);
  expect(faults.map(({ reason }) => reason)).toEqual([during.fault, undefined]);
});

it('records that an import rejected, and an old import, are said until an import mends them', async () => {
  const path = join(folder, 'advisories.sqlite');
  const from = join(folder, 'records');
  const affected = [{ package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] }];
  const good = JSON.stringify({ id: 'A-1', modified: '2026-05-01T00:00:00Z', affected });
  const { signal } = new AbortController();
  mkdirSync(from);
  writeFileSync(join(from, 'good.json'), good);
  writeFileSync(join(from, 'bad.json'), '{"id":"A-2"}');
  await importOsv({ path, from, signal });
  let now = Date.now();
  const index = await openAdvisoryIndex(folder, undefined, { now: () => now });
  await index.current();
  await index.current();
  expect(faults).toEqual([
    {
      data: 'records of imported advisories',
      reason: expect.stringMatching(/^1 could .*bad\.json: modified: /),
    },
  ]);
  const loaded = loadConfig({
    environment: { LOCKHOUND_INSIGHTS_SOURCES: 'osv', LOCKHOUND_DATA_FOLDER: folder },
  });
  const doctor = async () => {
    const check = INSIGHTS_CHECKS.find(({ name }) => name === 'advisories');
    return await check?.run({ loaded, signal } as Parameters<typeof check.run>[0]);
  };
  expect(await doctor()).toMatchObject({ verdict: 'degraded', says: expect.stringContaining('bad.json') });
  rmSync(join(from, 'bad.json'));
  await importOsv({ path, from, signal });
  await index.current();
  expect(faults.at(-1)).toEqual({ data: 'records of imported advisories', reason: undefined });
  expect(await doctor()).toMatchObject({ verdict: 'fine' });
  now += 8 * 86_400_000;
  await index.current();
  expect(faults.at(-1)).toMatchObject({
    data: 'age of imported advisories',
    reason: expect.stringMatching(/^imported on /),
  });
  await index.close();
});
