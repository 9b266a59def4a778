import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ResolvedLockfile } from '../../../src/model/scan/inventory.ts';
import { createFolderStorage } from '../../../src/storage/folder-storage.ts';
import { createLedgerArchive } from '../../../src/store/fleet/ledger-archive.ts';
import { npmFile } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());
beforeEach(async () => {
  fleet = await cli.fresh();
});

/** A lockfile with one package of an ecosystem. */
function fileOf(
  path: string,
  ecosystem: string,
  name: string,
  version: string,
  purl: string,
): ResolvedLockfile {
  const [locked] = npmFile(path, ['x@1.0.0']).packages;
  if (locked === undefined) throw new RangeError('no package');
  return {
    ...npmFile(path, []),
    packages: [{ ...locked, id: `${name}@${version}`, ecosystem, name, version, purl }],
  };
}

async function where(...args: readonly string[]) {
  const { code, out, note } = await lockhound(['where', ...args, '--json']);
  return { code, note, answer: out === '' ? undefined : JSON.parse(out) };
}

describe('lockhound where', () => {
  it('lists targets with version, lockfile, line, group, directness and dependency path', async () => {
    const file = npmFile('app/package-lock.json', ['express@4.0.0', 'qs@6.0.0', 'ms@2.0.0'], {
      'express@4.0.0': ['qs@6.0.0'],
      'qs@6.0.0': ['ms@2.0.0'],
    });
    const dev = { ...file, packages: file.packages.map((one) => ({ ...one, groups: ['dev'] })) };
    await fleet.save('org/shop', [dev, npmFile('package-lock.json', ['ms@1.0.0'])], {
      labels: { team: 'web' },
    });
    await fleet.save('org/other', [npmFile('package-lock.json', ['lodash@4.0.0'])]);
    const { code, out } = await lockhound(['where', 'ms']);
    expect(code).toBe(0);
    expect(out).toBe(`versions   pkg:npm/ms@1.0.0
           pkg:npm/ms@2.0.0
targets    1
lockfiles  2
places (2)
  target    version  direct  lockfile               line  dependency path                      name
  org/shop  2.0.0    no      app/package-lock.json  3     express@4.0.0 › qs@6.0.0 › ms@2.0.0  ms
  org/shop  1.0.0    yes     package-lock.json      1     ms@1.0.0                             ms
`);
    const { answer } = await where('pkg:npm/ms@2.0.0');
    expect(answer).toMatchObject({ targets: 1, lockfiles: 1 });
    expect(answer.places).toEqual([
      {
        target: 'org/shop',
        labels: { team: 'web' },
        lockfile: 'app/package-lock.json',
        ecosystem: 'npm',
        name: 'ms',
        version: '2.0.0',
        purl: 'pkg:npm/ms@2.0.0',
        line: 3,
        direct: false,
        groups: ['dev'],
        dependencyPath: ['express@4.0.0', 'qs@6.0.0', 'ms@2.0.0'],
      },
    ]);
  });

  it('selects by range, label, ecosystem and number of lockfiles', async () => {
    for (const minor of [1, 2, 3]) {
      const file = npmFile('package-lock.json', [`lodash@4.${minor}.0`]);
      await fleet.save(`t${minor}`, [file], { labels: { team: minor === 1 ? 'a' : 'b' } });
    }
    const gem = fileOf('Gemfile.lock', 'gem', 'lodash', '4.1.0', 'pkg:gem/lodash@4.1.0');
    await fleet.save('ruby', [gem]);
    const targets = async (...args: readonly string[]) =>
      (await where(...args)).answer.places.map(({ target }: { target: string }) => target);
    expect(await targets('lodash')).toEqual(['ruby', 't1', 't2', 't3']);
    expect(await targets('lodash@<4.3')).toEqual(['ruby', 't1', 't2']);
    expect(await targets('lodash', '>=4.2.0')).toEqual(['t2', 't3']);
    expect(await targets('lodash', '--ecosystem', 'rubygems')).toEqual(['ruby']);
    expect(await targets('lodash', '--label', 'team=b')).toEqual(['t2', 't3']);
    expect(await targets('lodash', '--limit', '1')).toEqual(['ruby']);
    const limited = await lockhound(['where', 'lodash', '--limit', '1']);
    expect(limited.out).toMatch(/lockfiles +4\n[\s\S]*… and more: --limit shows them\n$/);
  });

  it.each([
    ['pypi', 'flask-cors', '1.0', ['Flask_Cors', 'FLASK.CORS', 'flask--cors', 'pkg:pypi/Flask-Cors']],
    ['nuget', 'newtonsoft.json', '13.0.1', ['Newtonsoft.Json', 'pkg:nuget/Newtonsoft.Json']],
    [
      'golang',
      'github.com/BurntSushi/toml',
      'v1.0.0',
      ['github.com/BurntSushi/toml', 'pkg:golang/github.com/burntsushi/toml'],
    ],
    ['cargo', 'proc-macro2', '1.0.0', ['proc-macro2', 'proc_macro2']],
    [
      'maven',
      'org.apache.logging.log4j:log4j-core',
      '2.14.0',
      ['org.apache.logging.log4j:log4j-core', 'pkg:maven/org.apache.logging.log4j/log4j-core'],
    ],
    ['composer', 'Vendor/Näme', '1.0', ['vendor/näme']],
  ])('finds names of %s in any spelling', async (ecosystem, name, version, spellings) => {
    await fleet.save('t', [fileOf('f', ecosystem, name, version, `pkg:${ecosystem}/${name}@${version}`)]);
    for (const spelling of spellings) {
      expect([spelling, (await where(spelling)).answer.targets]).toEqual([spelling, 1]);
    }
    expect((await where(`${name}x`)).code).toBe(1);
  });

  it('names the newest other versions where targets hold no version that was asked for', async () => {
    const minors = Array.from({ length: 12 }, (_, minor) => `ms@2.${minor}.0`);
    await fleet.save('a', [npmFile('package-lock.json', minors)], { labels: { team: 'a' } });
    await fleet.save('b', [npmFile('package-lock.json', ['ms@2.0.0', 'ms-extra@1.0.0'])]);
    const maven = fileOf('pom.xml', 'maven', 'ms', '1.0', 'pkg:maven/ms@1.0');
    await fleet.save('c', [maven]);
    const { code, out } = await lockhound(['where', 'ms@<2', '--ecosystem', 'npm']);
    expect(code).toBe(1);
    const newest = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((minor) => `pkg:npm/ms@2.${minor}.0`);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      `other versions targets 2 count 12 newest ${newest.join(' ')} `,
    );
    const { answer } = await where('ms', '^1');
    // It is not known whether "^1" selects the version of maven.
    expect(answer).toMatchObject({ notCompared: ['maven'], similar: [] });
    expect(answer.otherVersions).toEqual({ targets: 2, count: 12, newest });
    const none = { targets: 0, count: 0, newest: [] };
    expect((await where('ms', '2.3.0')).answer.otherVersions).toEqual(none);
    expect((await where('ms-', '1')).answer).toMatchObject({
      otherVersions: none,
      similar: ['ms-extra (npm)'],
    });
    const ofTeam = await where('ms', '<2', '--ecosystem', 'npm', '--label', 'team=a');
    expect(ofTeam.answer.otherVersions).toMatchObject({ targets: 1, count: 12 });
    // A version that other targets hold is no version that these targets hold.
    await fleet.save('d', [npmFile('package-lock.json', ['ms@1.0.0'])]);
    const others = await where('ms', '<2', '--ecosystem', 'npm', '--label', 'team=a');
    expect(others.answer).toMatchObject({
      targets: 0,
      otherVersions: { targets: 1, count: 12 },
      similar: [],
    });
  });

  it('says what is not found, not compared, not understood, not stored', async () => {
    expect((await where('lodash')).note).toContain('no target is stored yet');
    const maven = fileOf('pom.xml', 'maven', 'org.x:y', '1.0', 'pkg:maven/org.x/y@1.0');
    await fleet.save('t', [maven, npmFile('package-lock.json', ['lodash.merge@4.0.0'])]);
    const missing = await lockhound(['where', 'LODASH']);
    expect(missing).toMatchObject({
      code: 1,
      out: expect.stringMatching(/targets +0\n[\s\S]*similar +lodash\.merge \(npm\)\n/),
    });
    const range = await lockhound(['where', 'org.x:y', '^1']);
    expect(range.code).toBe(1);
    expect(range.out).toMatch(/not compared +maven\n/);
    const refused = await lockhound(['where', 'pkg:maven/org.x/y', '^1']);
    expect(refused.code).toBe(2);
    expect(refused.note).toContain('"^1" is neither a version nor a range of maven');
    expect((await where('lodash', '>> nonsense')).note).toContain(
      'is not a version or a range [query-invalid]',
    );
    expect((await where('lodash*', '1')).code).toBe(1);
    vi.stubEnv('REDIS_URL', undefined);
    const unset = await lockhound(['where', 'lodash']);
    vi.stubEnv('REDIS_URL', cli.url);
    expect(unset).toMatchObject({ code: 2, note: expect.stringContaining('redis.url is not set') });
  });

  it('lists the others where one inventory, summary or list of ids is damaged, and names it', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await fleet.save(name, [npmFile('package-lock.json', ['lodash@4.0.0', `${name}@1.0.0`])]);
    }
    const hashOf = async (name: string) => (await fleet.targets.read(name))?.lockfiles?.[0]?.inventory ?? '';
    await fleet.redis.set(fleet.keys.lockfileInventory(await hashOf('a')), 'nonsense');
    await fleet.redis.hset(fleet.keys.targetSummaries, 'b', `{"inventory":"${await hashOf('b')}"`);
    const hash = await hashOf('c');
    await fleet.redis.hset(
      fleet.keys.idLists(Number.parseInt(hash.slice(0, 2), 16)),
      hash,
      Buffer.of(9, 0, 0, 0),
    );
    const { code, note, answer } = await where('lodash');
    expect(code).toBe(2);
    // That of `b` is in its state as well.
    expect(answer.places).toMatchObject([{ target: 'b' }, { target: 'd' }]);
    expect(answer.unreadable).toHaveLength(3);
    expect(note).toContain('the result is incomplete: 3 stored values cannot be read');
    expect(note).toContain('field b,');
  });

  it('prints names with control characters so that they cannot alter the terminal', async () => {
    const name = 'evil\u001b[2J';
    await fleet.save('target\u001b]0;x\u0007', [fileOf('f\r', 'npm', name, '1.0.0', 'pkg:npm/evil@1.0.0')], {
      labels: { team: 'a\u202eb' },
    });
    const { out } = await lockhound(['where', name, '--verbose']);
    expect(out).toContain('target\\u001b]0;x\\u0007');
    expect(out).toContain('team=a\\u202eb');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

describe('lockhound where at other times', () => {
  const at = (time: string, more: object = {}) => ({ ledger: { requestedAt: time, ...more } });
  beforeEach(async () => {
    const edges = { 'app@1.0.0': ['debug@4.4.2'] };
    await fleet.save('org/shop', [npmFile('package-lock.json', ['app@1.0.0', 'debug@4.4.1'])], {
      labels: { team: 'web' },
      ...at('2026-09-01T00:00:00Z'),
    });
    await fleet.save('org/shop', [npmFile('package-lock.json', ['app@1.0.0', 'debug@4.4.2'], edges)], {
      labels: { team: 'web' },
      ...at('2026-09-08T13:00:00Z', { commit: 'c'.repeat(40), committedAt: '2026-09-08T12:58:00.000Z' }),
    });
    await fleet.save('org/shop', [npmFile('package-lock.json', ['app@1.0.0', 'debug@4.4.3'], edges)], {
      labels: { team: 'web' },
      ...at('2026-09-08T17:00:00Z'),
    });
    await fleet.save('org/late', [npmFile('package-lock.json', ['debug@4.4.2'])], at('2026-09-08T16:00:00Z'));
  });

  it('says from when to when, by which commit and through whom', async () => {
    const { code, out } = await lockhound(['where', 'debug@4.4.2', '--ever']);
    expect(code).toBe(0);
    const periods = out.slice(out.indexOf('periods (2)')).replaceAll(/\s+/g, ' ');
    expect(periods).toContain(
      'not known before org/late package-lock.json debug 4.4.2 yes 2026-09-08 16:00 UTC ',
    );
    expect(periods).toContain(
      `app@1.0.0 from 2026-09-08 13:00 UTC ${'c'.repeat(40)}; until 2026-09-08 17:00 UTC`,
    );
  });

  it.each([
    [['--at', '2026-09-08T14:00Z'], ['org/shop'], 1],
    [['--at', '2026-09-08T16:30Z'], ['org/late', 'org/shop'], 0],
    [['--at', '2026-09-08T17:00:00Z'], ['org/late'], 0],
    [['--since', '2026-09-08T17:00:00Z'], ['org/late'], 0],
    [['--since', '2026-09-08T12:00Z', '--until', '2026-09-08T13:00Z'], ['org/shop'], 1],
    [['--until', '2026-09-08T12:59Z'], [], 0],
    [['--at', '2026-08-01T00:00Z'], [], 2],
    [['--ever', '--label', 'team=web'], ['org/shop'], 0],
  ])('%j: %j', async (args, targets, notKnown) => {
    const { code, answer } = await where('debug@4.4.2', ...args);
    expect(code).toBe(targets.length > 0 ? 0 : 1);
    expect(answer.periods.map(({ target }: { target: string }) => target)).toEqual(targets);
    expect(answer).toMatchObject({ targets: targets.length, notKnown, places: [] });
  });

  it('counts the targets whose time is not known, and refuses two times', async () => {
    const { out } = await lockhound(['where', 'debug@4.4.2', '--at', '2026-08-01T00:00Z']);
    expect(out).toMatch(/targets +0\n[\s\S]*not known +2\n/);
    expect((await where('debug', '--ever', '--at', '1d')).code).toBe(2);
    expect((await where('debug', '--since', '1d', '--until', '2d')).code).toBe(2);
    expect((await where('debug', '--at', 'noon')).note).toContain('at: expected a time');
  });

  it('leaves out targets that got rid of it in time, and none of which that is not known', async () => {
    const left = async (query: string, within: string, ...args: readonly string[]) => {
      const { answer } = await where(query, '--unless-fixed-within', within, ...args);
      const targets = new Set(answer.periods.map(({ target }: { target: string }) => target));
      return [[...targets], answer.targets, answer.fixedInTime];
    };
    expect(await left('debug@4.4.2', '24h')).toEqual([['org/late'], 1, 1]);
    expect(await left('debug@4.4.2', '239m')).toEqual([['org/late', 'org/shop'], 2, 0]);
    expect(await left('debug@4.4.2', '4h', '--at', '2026-09-08T14:00Z')).toEqual([[], 0, 1]);
    // It is not known since when the first of them was there.
    expect(await left('debug@<4.4.3', '30d', '--label', 'team=web')).toEqual([['org/shop'], 1, 0]);
    expect(await left('debug@4.4.3', '24h')).toEqual([['org/shop'], 1, 0]);
    const args = ['debug@4.4.2', '--unless-fixed-within', '24h', '--label', 'team=web'];
    const { code, out } = await lockhound(['where', ...args]);
    expect(code).toBe(1);
    expect(out).toMatch(/targets +0\n[\s\S]*fixed in time +1\n/);
    expect((await where('debug', '--unless-fixed-within', 'soon')).note).toContain('expected a duration');
  });

  it('says what is not known while the storage of old blocks does not answer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ledgers-'));
    vi.stubEnv('LOCKHOUND_LEDGER_STORAGE_FOLDER', folder);
    for (let hour = 0; hour < 16; hour += 1)
      await fleet.save('org/shop', [npmFile('package-lock.json', [`app@2.${hour}.0`])], {
        labels: { team: 'web' },
        ...at(`2026-09-09T${String(hour).padStart(2, '0')}:00:00Z`),
      });
    const [ever, early] = [
      await where('debug@4.4.2', '--ever'),
      await where('debug@4.4.2', '--at', '2026-09-08T14:00Z'),
    ];
    const exposed = await lockhound(['targets', 'history', 'org/shop', '--json']);
    const storage = createFolderStorage(folder, 1_000_000);
    const archive = createLedgerArchive(fleet.redis, fleet.keys, { storage, afterMs: 1_000 });
    expect(await archive()).toEqual({ archived: 1, removed: 0 });
    expect(await where('debug@4.4.2', '--ever')).toEqual(ever);
    expect(await where('debug@4.4.2', '--at', '2026-09-08T14:00Z')).toEqual(early);
    expect(await lockhound(['targets', 'history', 'org/shop', '--json'])).toEqual(exposed);
    await rename(folder, `${folder}-away`);
    const { answer, note } = await where('debug@4.4.2', '--ever');
    expect(answer).toMatchObject({ targets: 1, notKnown: 1 });
    expect(note).toContain('the storage of ledgers does not answer: older parts of ledgers are not known');
    const later = await where('debug@4.4.2', '--at', '2026-09-08T14:00Z');
    expect(later.answer).toMatchObject({ targets: 0, notKnown: early.answer.notKnown + 1, periods: [] });
    for (const question of [['history'], ['blame', 'debug@4.4.2']]) {
      const [verb = '', ...rest] = question;
      const { code, out } = await lockhound(['targets', verb, 'org/shop', ...rest, '--json']);
      expect([code, JSON.parse(out).notKnown]).toEqual([2, 1]);
    }
    const refused = await lockhound(['targets', 'forget', 'org/shop', '--yes']);
    expect(refused.code).toBe(2);
    expect(refused.note).toContain('target org/shop was not removed: the storage of ledgers removes nothing');
    await rename(`${folder}-away`, folder);
    expect((await lockhound(['targets', 'forget', 'org/shop', '--yes'])).code).toBe(0);
    expect((await readdir(folder, { recursive: true })).filter((name) => name.length > 2)).toEqual([]);
    await rm(folder, { recursive: true });
    vi.stubEnv('LOCKHOUND_LEDGER_STORAGE_FOLDER', undefined);
  });

  it('does not read more ledgers than it lists', async () => {
    const { answer } = await where('debug', '--ever', '--limit', '1');
    expect(answer.targets).toBe(2);
    expect(answer.periods.map(({ target }: { target: string }) => target)).toEqual(['org/late']);
  });
});
