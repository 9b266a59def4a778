import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affects, versionsText } from '../../src/advisories/affects.ts';
import { openAdvisories, updateAdvisories, withChanges } from '../../src/advisories/database.ts';
import { download } from '../../src/advisories/download.ts';
import { importOsv } from '../../src/advisories/import-osv.ts';
import { readOsvRecord } from '../../src/advisories/osv-record.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import type { OsvRecord, RangeEvent } from '../../src/model/advisories/osv-record.ts';
import { SYSTEMS, type System } from '../../src/model/lockfile/ecosystem.ts';
import { schemeOf } from '../../src/versions/scheme.ts';
import { startTestServer } from '../http/test-server.ts';
import { seededRandom } from '../seeded-random.ts';
import { writeZip } from './zip.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockhound-osv-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NEVER = new AbortController().signal;

function record(id: string, changes: object = {}) {
  return {
    id,
    modified: '2026-05-01T00:00:00Z',
    summary: `Issue ${id}`,
    affected: [
      {
        package: { ecosystem: 'npm', name: 'left' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.2.0' }] }],
      },
    ],
    ...changes,
  };
}

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const database = () => join(folder, 'data', 'advisories.sqlite');
const imported = (from: string, signal = NEVER) => importOsv({ path: database(), from, signal });

async function idsOf(system: System, name: string): Promise<readonly string[]> {
  const advisories = await openAdvisories(database());
  try {
    return (advisories.about(system, [name]).get(name) ?? []).map(({ id }) => id);
  } finally {
    advisories.close();
  }
}

describe('a record', () => {
  it('is read with its title, aliases, vector and the packages that are looked up', () => {
    const read = readOsvRecord({
      ...record('GHSA-1'),
      summary: '',
      details: '\nThe first line.\nThe second.',
      aliases: ['CVE-1', 'GHSA-1', 'CVE-1'],
      severity: [
        { type: 'CVSS_V4', score: 'four' },
        { type: 'CVSS_V3', score: 'three' },
      ],
      affected: [
        { package: { ecosystem: 'PyPI', name: 'Left_Pad' }, versions: ['1.0', '1.0'] },
        { package: { ecosystem: 'Debian:12', name: 'left' }, versions: ['1'] },
        { ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] },
        {
          package: { ecosystem: 'Go', name: 'Example.com/Left' },
          ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
        },
      ],
    });
    expect(read).toEqual({
      id: 'GHSA-1',
      modified: '2026-05-01T00:00:00Z',
      title: 'The first line.',
      aliases: ['CVE-1'],
      vector: 'three',
      said: { text: 'The first line.\nThe second.' },
      affected: [
        { system: 'PYPI', name: 'left-pad', versions: ['1.0'], ranges: [] },
        { system: 'GO', name: 'example.com/left', versions: [], ranges: [[['introduced', '0']]] },
      ],
      problems: [],
    });
  });

  it.each([
    ['no object', 7],
    ['an id that is a path', record('../x')],
    ['no date', record('A-1', { modified: 'yesterday' })],
    ['affected packages that are none', record('A-1', { affected: 'all' })],
  ])('is refused with %s', (_, value) => {
    expect(() => readOsvRecord(value)).toThrow(/\w/);
  });

  it('names a range that cannot be read, and keeps the rest', () => {
    const given = record('A-1', {
      affected: [
        {
          package: { ecosystem: 'PyPI', name: 'a' },
          versions: ['2004d'],
          ranges: [
            { type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: 'next one' }] },
            { type: 'ECOSYSTEM', events: [{ introduced: '3' }] },
          ],
        },
      ],
    });
    const { affected, problems } = readOsvRecord(given);
    expect(affected).toEqual([
      { system: 'PYPI', name: 'a', versions: ['2004d'], ranges: [[['introduced', '3']]], unread: true },
    ]);
    expect(problems).toEqual(['a: versions that cannot be read']);
  });
});

describe('a version is affected', () => {
  const rangeOf = (system: string, events: readonly object[]) => {
    const given = record('A-1', {
      affected: [{ package: { ecosystem: system, name: 'a' }, ranges: [{ type: 'ECOSYSTEM', events }] }],
    });
    const [affected] = readOsvRecord(given).affected;
    if (affected === undefined) throw new Error('nothing is affected');
    return affected;
  };

  it.each<[string, readonly object[], readonly string[], readonly string[]]>([
    [
      'npm',
      [{ introduced: '1.0.0' }, { fixed: '2.0.0' }],
      ['1.0.0', '2.0.0-rc.1'],
      ['1.0.0-rc.1', '2.0.0', '2.0.1'],
    ],
    ['npm', [{ introduced: '0' }, { last_affected: '1.5.0' }], ['0.0.0-0', '1.5.0'], ['1.5.1', '1.6.0-rc.1']],
    [
      'npm',
      [{ fixed: '3.0.0' }, { introduced: '2.0.0' }, { introduced: '0' }, { fixed: '1.0.0' }],
      ['0.9.0', '2.5.0'],
      ['1.0.0', '1.9.9', '3.0.0'],
    ],
    [
      'PyPI',
      [{ introduced: '0' }, { fixed: '3.2.10' }],
      ['3.2.9', '3.2.10rc1', '3.2.10.dev1'],
      ['3.2.10', '3.2.10.post1', '1!0.1'],
    ],
    [
      'Maven',
      [{ introduced: '2.0-beta9' }, { fixed: '2.15.0' }],
      ['2.0-beta9', '2.0', '2.14.1', '2.15.0-rc1'],
      ['2.0-beta8', '2.15.0', '2.15.0.Final'],
    ],
    [
      'RubyGems',
      [{ introduced: '0' }, { fixed: '5.2.4.3' }],
      ['5.2.4.2', '5.2.4.3.rc1'],
      ['5.2.4.3', '5.2.5'],
    ],
    [
      'NuGet',
      [{ introduced: '4.0' }, { fixed: '4.0.0.1' }],
      ['4.0.0', '4.0.0.1-beta'],
      ['4.0.0.1', '4.1', '3.9'],
    ],
    [
      'Go',
      [{ introduced: '0' }, { fixed: '1.18.4' }],
      ['v1.18.3', 'v0.0.0-20210101000000-abcdefabcdef', 'go1.18'],
      ['v1.18.4', 'v2.0.0+incompatible'],
    ],
    [
      'crates.io',
      [{ introduced: '0.0.0-0' }, { fixed: '0.3.1' }],
      ['0.3.0', '0.0.0-1'],
      ['0.3.1', '0.3.1+build'],
    ],
    ['npm', [{ introduced: '0' }, { limit: '2.0.0' }], ['1.9.9'], ['2.0.0', '2.1.0']],
  ])('in %s by %j', (system, events, within, outside) => {
    const { system: own, ...affected } = rangeOf(system, events);
    const answers = (versions: readonly string[]) => versions.map((one) => affects(affected, own, one));
    expect(answers(within)).toEqual(within.map(() => true));
    expect(answers(outside)).toEqual(outside.map(() => false));
  });

  it.each([
    ['has a bound that is no version', { ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: 'x y' }] }] }],
    ['has a type that is not known', { ranges: [{ type: 'OTHER', events: [{ introduced: '0' }] }] }],
    ['is of commits alone', { ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] }],
    ['is not stated', {}],
  ])('perhaps, where its range %s', (_what, stated) => {
    const given = record('A-1', { affected: [{ package: { ecosystem: 'npm', name: 'a' }, ...stated }] });
    const [affected] = readOsvRecord(given).affected;
    expect(affected && affects(affected, 'NPM', '1.0.0')).toBeUndefined();
    expect(affected && affects({ ...affected, versions: ['1.0.0'] }, 'NPM', '1.0.0')).toBe(true);
  });

  it('when it is listed, in any spelling of its ecosystem', () => {
    const listed = { versions: ['1.0', 'v2.1.0'], ranges: [] };
    expect(affects(listed, 'PYPI', '1.0.0')).toBe(true);
    expect(affects(listed, 'GO', 'v2.1.0')).toBe(true);
    expect(affects(listed, 'PYPI', '1.0.1')).toBe(false);
    expect(versionsText(listed)).toBe(listed.versions.join(', '));
    const many = Array.from({ length: 999 }, (_, at) => `1.0.${at}`);
    expect(versionsText({ versions: many, ranges: [] })).toMatch(/^1\.0\.0, .{150,200}…$/);
    const all = [[['introduced', '0']]] satisfies RangeEvent[][];
    expect(versionsText({ versions: many, ranges: all })).toBe('>=0');
  });

  it.each<[System, string, string]>([
    ['PYPI', '1.0', '1'],
    ['PYPI', '01.0', 'v0!1.0.0'],
    ['PYPI', '1.0.alpha.1', '1a1'],
    ['PYPI', '0.0', '0'],
    ['MAVEN', '1.0.0-ga', '1'],
    ['MAVEN', '1..1', '1.0.1'],
    ['MAVEN', '1.0-1', '1-1'],
    ['MAVEN', 'r3', 'R03'],
    ['RUBYGEMS', '1.0.0.pre', '1.pre'],
    ['NUGET', '01.0', '1.0.0.0'],
    ['GO', 'go1.21rc2', '1.21.0-rc.2'],
    ['NPM', 'v1.2.3', '1.2.3+build'],
    ['NPM', '=1.2.3', ' 1.2.3'],
    ['CARGO', '1.2.3+a', '1.2.3'],
  ])('when %s has it listed as %s and it is %s', (system, listed, version) => {
    expect(schemeOf(system).compare(listed, version)).toBe(0);
    expect(affects({ versions: ['9.9.9', listed], ranges: [] }, system, version)).toBe(true);
    expect(affects({ versions: [version], ranges: [] }, system, listed)).toBe(true);
  });

  it('exactly when the order of its ecosystem says that it is a listed one, for drawn versions', () => {
    const random = seededRandom(5);
    const parts = [
      '0',
      '00',
      '1',
      '01',
      '10',
      '.',
      '.',
      '.',
      '-',
      'a',
      'rc',
      'ga',
      'v',
      '+',
      '!',
      '_',
      'post',
    ];
    const draw = () =>
      Array.from(
        { length: 1 + Math.floor(random() * 7) },
        () => parts[Math.floor(random() * parts.length)],
      ).join('');
    let equal = 0;
    const wrong: string[] = [];
    for (let count = 0; count < 30_000; count += 1) {
      const system = SYSTEMS[count % SYSTEMS.length] as System;
      const { isValid, compare } = schemeOf(system);
      const [listed, version] = [draw(), draw()];
      if (!isValid(listed) || !isValid(version)) continue;
      const isEqual = compare(listed, version) === 0;
      if (isEqual && listed !== version) equal += 1;
      const is = affects({ versions: [listed], ranges: [] }, system, version);
      if (is !== isEqual) wrong.push(`${system} ${listed} ${version}`);
    }
    expect(wrong).toEqual([]);
    expect(equal).toBeGreaterThan(20);
  });

  it('is not known for a version without an order, unless nothing but a list decides', () => {
    const range: readonly RangeEvent[] = [['introduced', '0']];
    expect(affects({ versions: [], ranges: [range] }, 'PYPI', 'trunk')).toBeUndefined();
    expect(affects({ versions: ['1.0'], ranges: [] }, 'PYPI', 'trunk')).toBe(false);
    expect(affects({ versions: ['trunk'], ranges: [range] }, 'PYPI', 'trunk')).toBe(true);
  });

  it('agrees with intervals for 2,000 drawn ranges', () => {
    const random = seededRandom(11);
    for (let count = 0; count < 2_000; count += 1) {
      const bounds = Array.from({ length: 6 }, () => Math.floor(random() * 50)).sort((a, b) => a - b);
      const [a = 0, b = 0, c = 0, d = 0] = bounds.filter((one, index) => one !== bounds[index - 1]);
      const intervals = c < d ? [[a, b] as const, [c, d] as const] : [[a, b] as const];
      const events = intervals.flatMap(([from, to]) => [
        { introduced: `1.${from}.0` },
        { fixed: `1.${to}.0` },
      ]);
      const drawn = rangeOf(
        'npm',
        events.sort(() => random() - 0.5),
      );
      const version = Math.floor(random() * 55);
      const expected = intervals.some(([from, to]) => version >= from && (version < to || to <= from));
      if (intervals.some(([from, to]) => to <= from)) continue;
      expect({ events, version, is: affects(drawn, 'NPM', `1.${version}.0`) }).toEqual({
        events,
        version,
        is: expected,
      });
    }
  });
});

describe('an import', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['a file', () => write('one.json', JSON.stringify(record('A-1')))],
    ['a list', () => write('list.json', JSON.stringify([record('A-1')]))],
    ['lines', () => write('all.ndjson', `${JSON.stringify(record('A-1'))}\n\n`)],
    ['compressed lines', () => write('all.jsonl.gz', gzipSync(JSON.stringify(record('A-1'))))],
    [
      'a ZIP file',
      () => write('all.zip', writeZip({ 'A-1.json': JSON.stringify(record('A-1')), readme: 'x' })),
    ],
    [
      'a folder',
      () => {
        mkdirSync(join(folder, 'in', 'below'), { recursive: true });
        write('in/below/A-1.json', JSON.stringify(record('A-1')));
        write('in/readme.txt', 'nothing');
        return join(folder, 'in');
      },
    ],
  ])('reads %s', async (_, from) => {
    const path = await from();
    expect(await imported(path)).toMatchObject({
      stored: 1,
      rejected: 0,
      coverage: [{ system: 'NPM', records: 1, asOf: '2026-05-01T00:00:00Z', source: path }],
    });
    expect(await idsOf('NPM', 'left')).toEqual(['A-1']);
  });

  it('keeps the newer record, replaces the older one, and removes what is withdrawn', async () => {
    await imported(write('1.json', JSON.stringify([record('A-1'), record('A-2')])));
    const older = { modified: '2026-04-01T00:00:00Z', affected: [] };
    const withdrawn = { modified: '2026-06-01T00:00:00Z', withdrawn: '2026-06-01T00:00:00Z' };
    const later = await imported(
      write('2.json', JSON.stringify([record('A-1', older), record('A-2', withdrawn)])),
    );
    expect(later).toMatchObject({ stored: 1, older: 1, withdrawn: 1 });
    expect(await idsOf('NPM', 'left')).toEqual(['A-1']);
  });

  it('computes the score of a vector; what is no vector has none, and other folders compute it themselves', async () => {
    const rated = (score: string) => ({ severity: [{ type: 'CVSS_V3', score }] });
    const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
    const all = [
      record('A-1', rated(vector)),
      record('A-2', rated(vector)),
      record('A-3', rated('high')),
      record('A-4'),
    ];
    await imported(write('all.ndjson', all.map((one) => JSON.stringify(one)).join('\n')));
    const advisories = await openAdvisories(database());
    const scores = ['A-1', 'A-2', 'A-3', 'A-4'].map((id) => advisories.find(id)?.score);
    const kept = [...advisories.records()];
    advisories.close();
    expect(scores).toEqual([9.8, 9.8, undefined, undefined]);
    expect(kept.filter((one) => 'score' in one)).toEqual([]);
  });

  it('knows what a withdrawn record has as an alias, until it is no longer withdrawn', async () => {
    const gone = { aliases: ['CVE-1', 'CVE-2'], withdrawn: '2026-06-01T00:00:00Z' };
    await imported(
      write('1.json', JSON.stringify([record('A-1', gone), record('A-2', { aliases: ['CVE-1'] })])),
    );
    const read = async (changes: readonly OsvRecord[] = []) => {
      const advisories = await openAdvisories(database());
      const { withdrawnAs } = withChanges(advisories, changes);
      const found = ['CVE-1', 'CVE-2', 'A-1'].map(withdrawnAs);
      advisories.close();
      return found;
    };
    expect(await read()).toEqual([['A-1'], ['A-1'], []]);
    const later = { modified: '2026-07-01T00:00:00Z', affected: [] };
    const changed = [
      { ...readOsvRecord(record('A-1')), ...later },
      { ...readOsvRecord(record('A-3', gone)), ...later },
    ];
    expect(await read(changed)).toEqual([['A-3'], ['A-3'], []]);
    await imported(write('2.json', JSON.stringify(record('A-1', { modified: '2026-07-01T00:00:00Z' }))));
    expect(await read()).toEqual([[], [], []]);
  });

  it('covers no system that its records name in passing, and its date does not go back', async () => {
    const both = [
      { package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] },
      { package: { ecosystem: 'PyPI', name: 'left' }, versions: ['1.0'] },
    ];
    await imported(write('1.json', JSON.stringify([record('A-1'), record('A-2', { affected: both })])));
    const old = await imported(
      write('2.json', JSON.stringify(record('A-3', { modified: '0001-01-01T00:00:00Z' }))),
    );
    expect(old.coverage).toMatchObject([{ system: 'NPM', records: 3, asOf: '2026-05-01T00:00:00Z' }]);
  });

  it('reports records that cannot be read, with their place', async () => {
    const lines = [JSON.stringify(record('A-1')), '{', JSON.stringify(record('A-2', { modified: 7 }))];
    const { stored, rejected, problems } = await imported(write('all.ndjson', lines.join('\n')));
    expect({ stored, rejected }).toEqual({ stored: 1, rejected: 2 });
    expect(problems).toEqual([
      expect.stringMatching(/all\.ndjson:2: .*JSON/),
      expect.stringMatching(/all\.ndjson:3: modified: /),
    ]);
  });

  it.each<[string, () => string, string]>([
    ['nothing', () => write('empty.ndjson', ''), 'no-records'],
    ['a list of other things', () => write('list.json', '[1, 2]'), 'no-records'],
    ['no JSON', () => write('list.json', '[1,'), 'damaged'],
    [
      'a cut gzip file',
      () => write('a.ndjson.gz', gzipSync(JSON.stringify(record('A-9'))).subarray(0, -12)),
      'damaged',
    ],
    ['no ZIP file', () => write('a.zip', 'PK nothing'), 'damaged'],
    [
      'a cut ZIP file',
      () => write('a.zip', writeZip({ 'A-9.json': JSON.stringify(record('A-9')) }).subarray(0, 80)),
      'damaged',
    ],
    [
      'a ZIP file with another checksum',
      () => {
        const zip = writeZip({ 'A-9.json': JSON.stringify(record('A-9')) });
        zip.write('X', 60);
        return write('a.zip', zip);
      },
      'damaged',
    ],
    ['no file', () => join(folder, 'absent.json'), 'not-found'],
  ])('of %s leaves what was stored', async (_, from, code) => {
    await imported(write('1.json', JSON.stringify(record('A-1'))));
    const before = readFileSync(database());
    await expect(imported(from())).rejects.toMatchObject({ code });
    expect(readFileSync(database()).equals(before)).toBe(true);
    expect(await idsOf('NPM', 'left')).toEqual(['A-1']);
  });

  it('that is interrupted leaves what was stored, and the next one works', async () => {
    await imported(write('1.json', JSON.stringify(record('A-1'))));
    const lines = Array.from({ length: 600 }, (_, at) => JSON.stringify(record(`B-${at}`))).join('\n');
    const many = write('many.ndjson', lines);
    await expect(imported(many, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(await idsOf('NPM', 'left')).toEqual(['A-1']);
    expect(await imported(many)).toMatchObject({ stored: 600 });
  });

  it('that cannot write says so, and not that another one is under way', async () => {
    mkdirSync(join(folder, 'data'), { recursive: true });
    const damaged = `${database()}.lock`;
    writeFileSync(damaged, 'no database, and longer than the head of one'.repeat(10));
    const one = write('1.json', JSON.stringify(record('A-1')));
    await expect(imported(one)).rejects.toMatchObject({
      code: 'unwritable',
      message: expect.stringContaining('cannot be written: file is not a database'),
    });
    rmSync(damaged);
    expect(await imported(one)).toMatchObject({ stored: 1 });
  });

  it('that is killed leaves what was stored, and the next one works', async () => {
    await imported(write('1.json', JSON.stringify(record('A-1'))));
    const script = `
      const { updateAdvisories } = await import(process.argv[1]);
      const update = await updateAdvisories(process.argv[2]);
      update.put(JSON.parse(process.argv[3]));
      console.log('written');
      setInterval(() => {}, 1000);`;
    const source = join(import.meta.dirname, '..', '..', 'src', 'advisories', 'database.ts');
    const given = JSON.stringify(readOsvRecord(record('B-1')));
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, source, database(), given], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await expect(imported(join(folder, '1.json'))).rejects.toMatchObject({ code: 'busy' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await idsOf('NPM', 'left')).toEqual(['A-1']);
    await imported(write('2.json', JSON.stringify(record('A-2'))));
    expect(await idsOf('NPM', 'left')).toEqual(['A-1', 'A-2']);
  });

  it('of a damaged file says what to do', async () => {
    mkdirSync(join(folder, 'data'));
    writeFileSync(database(), 'not a database');
    await expect(openAdvisories(database())).rejects.toMatchObject({ code: 'database-damaged' });
    await expect(updateAdvisories(database())).rejects.toMatchObject({ code: 'database-damaged' });
    rmSync(database());
    await expect(openAdvisories(database())).rejects.toMatchObject({ code: 'database-missing' });
  });
});

describe('a download', () => {
  const content = Buffer.alloc(40_000_000, 'abcdefgh');

  it.each<
    [
      string,
      (range: string, count: number) => { status: number; body: Buffer; headers?: Record<string, string> },
      string,
    ]
  >([
    [
      'reads part by part',
      (range) => {
        const [, from = 0, to = 0] = (/(\d+)-(\d+)/.exec(range) ?? []).map(Number);
        const end = Math.min(to + 1, content.length);
        return {
          status: 206,
          body: content.subarray(from, end),
          headers: { 'content-range': `bytes ${from}-${end - 1}/${content.length}`, etag: '"1"' },
        };
      },
      '',
    ],
    ['reads a whole answer', () => ({ status: 200, body: content.subarray(0, 1_000) }), ''],
    ['refuses another status', () => ({ status: 403, body: Buffer.from('no') }), 'unavailable'],
    [
      'refuses a file that changes meanwhile',
      (_, count) =>
        count === 0
          ? {
              status: 206,
              body: content.subarray(0, 16_777_216),
              headers: { 'content-range': 'bytes 0-16777215/40000000' },
            }
          : { status: 200, body: content.subarray(0, 10) },
      'unavailable',
    ],
    ['refuses an empty part', () => ({ status: 206, body: Buffer.alloc(0) }), 'unavailable'],
  ])('%s', async (_, answer, code) => {
    let count = 0;
    const server = await startTestServer((request, response) => {
      const { status, body, headers = {} } = answer(String(request.headers.range), count++);
      response.writeHead(status, headers).end(body);
    });
    const http = createHttpClient();
    const path = join(folder, 'file');
    try {
      const reading = download(`${server.url}/all.zip`, path, { http, signal: NEVER });
      if (code !== '') await expect(reading).rejects.toMatchObject({ code });
      else {
        await reading;
        const read = readFileSync(path);
        expect(read.equals(content.subarray(0, read.length))).toBe(true);
        expect(read.length).toBe(count === 1 ? 1_000 : content.length);
      }
    } finally {
      await http.close();
      await server.close();
    }
  });
});
