import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSegment, type SegmentHistory } from '../../../src/commands/ledger/history-segment.ts';
import { readSegments } from '../../../src/commands/ledger/history-segments.ts';
import { type ImportOptions, importHistory } from '../../../src/commands/ledger/import-history.ts';
import { joinSegment } from '../../../src/commands/ledger/join-segment.ts';
import { heldPeriods } from '../../../src/fleet/ledger/held-periods.ts';
import { idsOf } from '../../../src/fleet/ledger/lockfile-deltas.ts';
import { firstParents } from '../../../src/sources/git/history.ts';
import { commitOf, openLocalRepository } from '../../../src/sources/git/local-repository.ts';
import { createTargetRemoval } from '../../../src/store/fleet/forget-target.ts';
import { createLedger, headKeys, idsOfLockfiles, readHead } from '../../../src/store/fleet/ledger.ts';
import { createLedgerImport } from '../../../src/store/fleet/ledger-import.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import { type Fleet, openFleetCli } from '../../cli/fleet/fleet-cli.ts';
import { lockhound } from '../../cli/lockhound.ts';
import { seededRandom } from '../../seeded-random.ts';
import { npmFile } from '../../store/fleet/fleet-room.ts';

const CORPORA = join(import.meta.dirname, '../../../../shared/corpora/histories');
const BUNDLES = existsSync(CORPORA) ? readdirSync(CORPORA).filter((name) => name.endsWith('.bundle')) : [];
/** `IMPORTED_COMMITS`: how many commits of each history are read, from its first one on. */
const MAX_COMMITS = Number(process.env['IMPORTED_COMMITS'] ?? 13);
/** Commits of which one is read by the test itself, which starts a process for each file. */
const READ_EVERY = 6;
const folder = mkdtempSync(join(tmpdir(), 'ledger-import-'));
const keepAll = join(folder, 'lockhound.yaml');
writeFileSync(keepAll, 'ledger: { keep: 36500d }');

let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
  fleet = await cli.fresh();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await cli.close();
});

function git(repository: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', ['-C', repository, ...identity, ...args], {
    encoding: 'utf8',
    maxBuffer: 1_073_741_824,
  });
}

function npmLock(versions: Readonly<Record<string, string>>): string {
  const packages = Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]);
  return JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { dependencies: versions }, ...Object.fromEntries(packages) },
  });
}

interface Delta {
  readonly commit: string;
  readonly came: readonly string[];
  readonly went: readonly string[];
}

/** What each imported entry changed, as texts `path name@version`. */
async function deltasOf(target: string): Promise<readonly Delta[]> {
  const deltas: Delta[] = [];
  for (const { scan, commit = '', files = [] } of await createLedger(fleet.redis, fleet.keys).read(target)) {
    if (!scan.startsWith('import.')) continue;
    const changes = files.map(async ({ path, came, went }) => {
      const named = async (ids: readonly number[]) =>
        (await fleet.packageIds.identities(ids)).map((identity) => `${path} ${identity}`);
      return { came: await named(idsOf(came)), went: await named(idsOf(went)) };
    });
    const each = await Promise.all(changes);
    deltas.push({ commit, came: each.flatMap(({ came }) => came), went: each.flatMap(({ went }) => went) });
  }
  return deltas;
}

/** Brings packages to the state after a commit. A package that went was there. */
function replay(held: Set<string>, { commit, came, went }: Delta): void {
  expect({ commit, unknown: went.filter((one) => !held.delete(one)) }).toEqual({ commit, unknown: [] });
  for (const one of came) held.add(one);
}

describe('lockhound ledger import', () => {
  it('reads what each commit changed, and goes before the first scan', async () => {
    const repository = join(folder, 'own');
    mkdirSync(repository);
    git(repository, 'init', '-q');
    const commit = (date: string, files: Readonly<Record<string, string | null>>): string => {
      for (const [path, content] of Object.entries(files)) {
        if (content === null) rmSync(join(repository, path));
        else writeFileSync(join(repository, path), content);
      }
      git(repository, 'add', '-A');
      process.env['GIT_COMMITTER_DATE'] = date;
      git(repository, 'commit', '-q', '--allow-empty', '-m', `line\n${'0'.repeat(40)} 0`);
      delete process.env['GIT_COMMITTER_DATE'];
      return git(repository, 'rev-parse', 'HEAD').trim();
    };
    const first = commit('2026-01-01T00:00:00Z', { 'package-lock.json': npmLock({ a: '1.0.0' }) });
    commit('2026-01-02T00:00:00Z', { 'README.md': 'x' });
    // A file that cannot be read keeps its packages.
    commit('2026-01-03T00:00:00Z', { 'package-lock.json': 'damaged' });
    const second = commit('2026-01-04T00:00:00Z', {
      'package-lock.json': npmLock({ a: '2.0.0' }),
      'ünïcode "quoted"\n.txt': 'x',
    });
    const third = commit('2026-01-05T00:00:00Z', { 'package-lock.json': null });
    commit('2027-01-01T00:00:00Z', { 'package-lock.json': npmLock({ late: '1.0.0' }) });
    await fleet.save('own', [npmFile('package-lock.json', ['a@3.0.0'])]);
    const args = ['ledger', 'import', repository, '--target', 'own', '--json'];
    for (let time = 0; time < 2; time += 1) {
      const { code, out } = await lockhound(args);
      // The last commit is newer than the scan. Again, the first commit is read with its lockfiles, and no other.
      expect([code, JSON.parse(out)]).toEqual([
        0,
        { target: 'own', commits: 6, entries: 3, read: [5, 1][time], from: '2026-01-01T00:00:00.000Z' },
      ]);
    }
    const packages = ['package-lock.json NPM:a@1.0.0', 'package-lock.json NPM:a@2.0.0'];
    expect(await deltasOf('own')).toEqual([
      { commit: first, came: packages.slice(0, 1), went: [] },
      { commit: second, came: packages.slice(1), went: packages.slice(0, 1) },
      { commit: third, came: [], went: packages.slice(1) },
    ]);
    // Scans go on after it.
    await fleet.save('own', [npmFile('package-lock.json', ['a@4.0.0'])]);
    const { out } = await lockhound(['where', 'a', '--ever', '--json']);
    const shown = JSON.parse(out).periods.map(
      (one: { version: string; from?: { commit?: string }; until?: { commit?: string } }) =>
        `${one.version} ${one.from?.commit ?? '-'} ${one.until?.commit ?? '-'}`,
    );
    expect(shown).toEqual([`1.0.0 ${first} ${second}`, `2.0.0 ${second} ${third}`, '3.0.0 - -', '4.0.0 - -']);
    const after = JSON.parse((await lockhound([...args, '--since', '2026-01-03'])).out);
    expect(after).toEqual({
      target: 'own',
      commits: 4,
      entries: 2,
      read: 3,
      from: '2026-01-03T00:00:00.000Z',
    });
    expect(await deltasOf('own')).toEqual([
      { commit: second, came: packages.slice(1), went: [] },
      { commit: third, came: [], went: packages.slice(1) },
    ]);
    const from = JSON.parse((await lockhound([...args, '--since', '2026-01-02'])).out);
    expect(from).toEqual({
      target: 'own',
      commits: 5,
      entries: 3,
      read: 3,
      from: '2026-01-02T00:00:00.000Z',
    });
    const [start] = await deltasOf('own');
    expect(start).toMatchObject({ came: packages.slice(0, 1), went: [] });
    expect(start?.commit).not.toBe(first);
    // It held the package, and nobody knows since when.
    const early = JSON.parse((await lockhound(['where', 'a@1.0.0', '--ever', '--json'])).out).periods;
    expect(early).toMatchObject([{ notKnownBefore: '2026-01-02T00:00:00.000Z', until: { commit: second } }]);
    expect(early[0].from).toBeUndefined();
    const scans = JSON.parse((await lockhound(['targets', 'history', 'own', '--json'])).out).scans;
    expect(scans.at(-1)).toMatchObject({ start: true, commit: start?.commit, came: [] });
    expect(await lockhound([...args, '--since', '2030-01-01'])).toMatchObject({ code: 2 });
    expect(await lockhound([...args, '--since', 'yesterday'])).toMatchObject({ code: 2 });
    expect((await deltasOf('own')).length).toBe(3);
    const clone = join(folder, 'shallow');
    git(folder, 'clone', '-q', '--bare', '--depth', '3', `file://${repository}`, clone);
    const cut = await lockhound(['ledger', 'import', clone, '--target', 'own', '--json']);
    expect(JSON.parse(cut.out)).toEqual({
      ...{ target: 'own', commits: 3, entries: 2, read: 1, shallow: true },
      from: '2026-01-04T00:00:00.000Z',
    });
    expect(cut.note).toContain('shallow clone');
    expect((await lockhound(['ledger', 'import', repository, '--target', 'none'])).code).toBe(2);
    expect((await lockhound(['ledger', 'import', folder, '--target', 'own'])).code).toBe(2);
  });

  it('reads a long history in threads as in one piece, also where a lockfile is damaged between them', async () => {
    const { git: opened } = await longRepository('long', 200);
    for (const tip of ['main', 'main~20', 'main~150']) {
      const history = await firstParents(opened, await commitOf(opened, tip));
      const several = await joined(readSegments(opened, history, { ...READ, threads: 3 }));
      const [base, end] = [history[0], history.at(-1)];
      if (base === undefined || end === undefined) throw new Error('no history');
      const whole = { base, isStart: true, tip: end.commit, exclude: [] };
      expect(several).toEqual(await joined([await readSegment(opened, whole, () => {})]));
    }
  });

  it('goes on after an interruption, and reads no commit again that did not change', async () => {
    const { git: opened, add } = await longRepository('resumed', 300);
    const tip = await commitOf(opened, 'main');
    const before = await commitOf(opened, 'main~90');
    const importAgain = async (own: string, options: Partial<ImportOptions> = {}) =>
      await importHistory(stores(), opened, { target: 't', tip: own, threads: 1, ...options });
    const anew = async (own: string, options: Partial<ImportOptions> = {}) => {
      fleet = await cli.fresh();
      await fleet.save('t', [npmFile('x', [])], { ledger: { requestedAt: '2100-01-01T00:00:00Z' } });
      return await importAgain(own, options);
    };
    const whole = await anew(tip);
    expect(whole).toEqual({
      ...{ target: 't', commits: 300, entries: whole.entries, read: 300 },
      from: new Date(1_700_000_000_000).toISOString(),
    });
    expect(whole.entries).toBeGreaterThan(250);
    const expected = await dump();
    for (let stored = 1; stored <= 3; stored += 1) {
      fleet = await cli.fresh();
      await fleet.save('t', [npmFile('x', [])], { ledger: { requestedAt: '2100-01-01T00:00:00Z' } });
      // Redis is lost after it has stored something.
      const options = { target: 't', tip, saveMs: 0, threads: 1 };
      await expect(importHistory(stores(stored), opened, options)).rejects.toThrow('lost');
      const { read } = await importAgain(tip);
      expect([stored, read <= 303 - stored * 100]).toEqual([stored, true]);
      expect(await dump()).toEqual(expected);
    }
    // New commits; a later begin, and an earlier one; a history that was rewritten.
    await anew(before);
    expect(await importAgain(tip)).toMatchObject({ read: 91 });
    expect(await dump()).toEqual(expected);
    let begin = 150;
    const isDamaged = (index: number): boolean =>
      git(opened.folder, 'show', `main~${299 - index}:kept/package-lock.json`).startsWith('damaged');
    while (isDamaged(begin) || begin % 40 > 30) begin += 1;
    const since = (1_700_000_000 + begin) * 1_000;
    const late = await anew(tip, { since });
    const ofLate = await named();
    expect(late).toMatchObject({ commits: 300 - begin, read: 300 - begin });
    // The first commit of before has its changes now.
    expect(await importAgain(tip)).toMatchObject({ read: begin + 1 });
    const ofAll = await named();
    expect(await importAgain(tip, { since })).toMatchObject({ read: 1 });
    expect(await named()).toEqual(ofLate);
    await anew(tip);
    expect(await named()).toEqual(ofAll);
    add('rewritten', 'main~100', 30);
    const rewritten = await commitOf(opened, 'rewritten');
    expect(await importAgain(rewritten)).toMatchObject({
      read: 31,
    });
    const ofRewritten = await named();
    await anew(rewritten);
    expect(await named()).toEqual(ofRewritten);
    // Files that are left out: what the ledger has of them is not kept.
    const exclude = ['/kept'];
    const { read } = await importAgain(rewritten, { exclude });
    expect(read).toBe(230);
    expect(JSON.stringify(await named())).not.toContain('kept');
    expect(await importAgain(rewritten, { anew: true, exclude })).toMatchObject({
      read: 230,
    });
  });

  it.each([
    ['2090, which is after the first scan', 3_800_000_000, -1],
    ['the one of the first scan', SCANNED, -1],
    ['1970', 0, 0],
    ['2038', 2_147_483_648, 2_147_483_648],
    ['the one of the commit before', 1_700_000_001, 1_700_000_001],
  ])('keeps the changes of a commit that states a wrong time: %s', async (_, time, at) => {
    const { git: opened, tip } = await timedRepository(`time-${time}`, [1_700_000_001, time, 1_700_000_003]);
    fleet = await cli.fresh();
    await fleet.save('t', [npmFile('x', [])], {
      ledger: { requestedAt: new Date(SCANNED * 1_000).toISOString() },
    });
    const importAgain = () => importHistory(stores(), opened, { target: 't', tip });
    expect(await importAgain()).toMatchObject({ commits: 3, entries: 3, read: 3 });
    const entries = await createLedger(fleet.redis, fleet.keys).read('t');
    const stated = at < 0 ? SCANNED - 1 : at;
    expect(entries.map((one) => one.at)).toEqual([1_700_000_001, stated, 1_700_000_003, SCANNED]);
    expect((await deltasOf('t')).map(({ came }) => came.length)).toEqual([1, 1, 1]);
    const expected = await dump();
    expect(await importAgain()).toMatchObject({ entries: 3, read: 1 });
    expect(await dump()).toEqual(expected);
  });

  describe('joins the first scan', () => {
    const [one, two] = ['package-lock.json', 'sub/package-lock.json'];
    const days = [1, 2, 3, 4].map((day) => 1_700_000_000 + day * 86_400);
    const timeOf = (at = 0) => new Date(at * 1_000).toISOString();
    let opened: Awaited<ReturnType<typeof openLocalRepository>>;
    let commits: readonly string[];
    beforeAll(async () => {
      opened = await commitsOf('joined', [
        [days[0], { [one]: npmLock({ a: '1.0.0', c: '1.0.0' }), [two]: npmLock({ b: '1.0.0' }) }],
        [days[1], { [one]: npmLock({ a: '2.0.0', c: '1.0.0' }) }],
        [days[2], { [one]: npmLock({ a: '3.0.0', c: '1.0.0' }) }],
      ]);
      commits = (await firstParents(opened, await commitOf(opened, 'main'))).map(({ commit }) => commit);
    });
    const files = (a: string, b: string) => [
      npmFile(one, [`a@${a}.0.0`, 'c@1.0.0']),
      npmFile(two, [`b@${b}.0.0`]),
    ];
    const scan = async (a: string, b: string, at: number | undefined, place?: number) =>
      await fleet.save('t', files(a, b), {
        ledger: {
          requestedAt: timeOf(at),
          ...(place === undefined ? {} : { commit: commits[place] as string }),
        },
      });
    const importAll = async (options: Partial<ImportOptions> = {}) => {
      const tip = commits.at(-1) as string;
      return await importHistory(stores(), opened, { target: 't', tip, ...options });
    };
    /** The periods as `package: begin to end`: commits by their position, scans by their number. */
    const periods = async () => {
      const placeOf = (entry: { readonly commit?: string; readonly scan: string }) =>
        entry.commit === undefined ? entry.scan : `commit ${commits.indexOf(entry.commit)}`;
      const current = (await fleet.targets.read('t'))?.lockfiles ?? [];
      const lists = await idsOfLockfiles(fleet.inventories, current);
      const held = current.map(
        ({ path, inventory = '' }) => [path, lists.get(inventory)?.lookedUp ?? []] as const,
      );
      const found = heldPeriods(await createLedger(fleet.redis, fleet.keys).read('t'), new Map(held), {
        has: () => true,
      });
      const names = await fleet.packageIds.identities(found.map(({ id }) => id));
      return found
        .map(({ from, until, notKnownBefore, notKnownAfter }, index) => {
          const begin = from === undefined ? `? ${timeOf(notKnownBefore)}` : placeOf(from);
          const end =
            until === undefined
              ? notKnownAfter === undefined
                ? 'now'
                : `? ${timeOf(notKnownAfter)}`
              : placeOf(until);
          return `${names[index]?.slice(4)}: ${begin} to ${end}`;
        })
        .sort();
    };
    const head = async () => {
      const parts = await Promise.all(
        headKeys(fleet.keys, 't').map((key) => fleet.redis.hgetBuffer(key, 't')),
      );
      return readHead(parts)?.since;
    };

    it('of a commit of the history: later commits are those of scans', async () => {
      fleet = await cli.fresh();
      // A scan of the second commit is requested after the third one was made.
      await scan('2', '1', days[3], 1);
      await scan('3', '1', days[3], 2);
      await scan('3', '2', days[3]);
      const expected = [
        'a@1.0.0: commit 0 to commit 1',
        'a@2.0.0: commit 1 to commit 2',
        'a@3.0.0: commit 2 to now',
        'b@1.0.0: commit 0 to t-s3',
        'b@2.0.0: t-s3 to now',
        'c@1.0.0: commit 0 to now',
      ];
      for (const anew of [false, true]) {
        expect(await importAll({ anew })).toMatchObject({ entries: 2 });
        expect(await periods()).toEqual(expected);
        expect(await head()).toBe(days[0]);
      }
      const { out } = await lockhound(['where', 'a@>=2', '--ever', '--json']);
      expect(JSON.parse(out)).toMatchObject({
        notKnown: 0,
        periods: [
          { version: '2.0.0', from: { commit: commits[1] }, until: { commit: commits[2], scan: 't-s2' } },
          { version: '3.0.0', from: { commit: commits[2], scan: 't-s2' } },
        ],
      });
      const { scans } = JSON.parse((await lockhound(['targets', 'history', 't', '--json'])).out);
      expect(scans.map((entry: { start?: true }) => entry.start === true)).toEqual([
        false,
        false,
        false,
        false,
        true,
      ]);
    });

    it('that names no commit, where its lockfiles hold the packages of the last one', async () => {
      fleet = await cli.fresh();
      await scan('3', '1', days[3]);
      await importAll();
      expect(await periods()).toContain('a@3.0.0: commit 2 to now');
      expect(await head()).toBe(days[0]);
      // The import begins later: again, all is known since then.
      await importAll({ since: (days[1] as number) * 1_000 });
      expect(await periods()).toEqual([
        `a@2.0.0: ? ${timeOf(days[1])} to commit 2`,
        'a@3.0.0: commit 2 to now',
        `b@1.0.0: ? ${timeOf(days[1])} to now`,
        `c@1.0.0: ? ${timeOf(days[1])} to now`,
      ]);
      // Without a history before it, the scan is the start.
      const importedLedger = await createLedgerImport(fleet.redis, fleet.keys, fleet.inventories)('t');
      await importedLedger?.write([], new Map());
      expect(await createLedger(fleet.redis, fleet.keys).read('t')).toMatchObject([
        { scan: 't-s1', start: true },
      ]);
    });

    it.each([undefined, 2])('only by lockfiles that hold the same: commit %s', async (place) => {
      fleet = await cli.fresh();
      await scan('9', '1', days[3], place);
      await scan('9', '2', days[3]);
      await importAll();
      expect(await periods()).toEqual([
        'a@1.0.0: commit 0 to commit 1',
        'a@2.0.0: commit 1 to commit 2',
        `a@3.0.0: commit 2 to ? ${timeOf(days[2])}`,
        `a@9.0.0: ? ${timeOf(days[3])} to now`,
        'b@1.0.0: commit 0 to t-s2',
        'b@2.0.0: t-s2 to now',
        `c@1.0.0: ? ${timeOf(days[3])} to now`,
        `c@1.0.0: commit 0 to ? ${timeOf(days[2])}`,
      ]);
      expect(await head()).toBe(days[3]);
    });

    it('only where the ledger says what it held', async () => {
      fleet = await cli.fresh();
      await scan('3', '1', days[3], 2);
      await scan('2', '1', days[3]);
      // An earlier release has saved it.
      await fleet.redis.hdel(fleet.keys.target('t'), 'ledger');
      await scan('3', '1', days[3]);
      await importAll();
      expect((await periods()).filter((text) => text.startsWith('a@3'))).toEqual([
        `a@3.0.0: ? ${timeOf(days[3])} to now`,
        `a@3.0.0: ? ${timeOf(days[3])} to t-s2`,
        `a@3.0.0: commit 2 to ? ${timeOf(days[2])}`,
      ]);
    });
  });

  it('reads no commit that is older than the ledger is kept', async () => {
    const day = 86_400;
    const now = Math.floor(Date.now() / 1_000);
    const { git: opened, tip } = await timedRepository('kept', [now - 9 * day, now - 5 * day, now - 3 * day]);
    fleet = await cli.fresh();
    await fleet.save('t', [npmFile('x', [])], {
      labels: { team: 'a' },
      ledger: { requestedAt: '2090-01-01T00:00:00Z' },
    });
    const asked: unknown[] = [];
    const importing = async (days: number) => {
      const keepMs = (labels: unknown) => asked.push(labels) * 0 + days * day * 1_000;
      const importedLedger = createLedgerImport(fleet.redis, fleet.keys, fleet.inventories, { keepMs });
      return await importHistory({ packageIds: fleet.packageIds, importedLedger }, opened, {
        target: 't',
        tip,
      });
    };
    const from = (days: number) => new Date((now - days * day) * 1_000).toISOString();
    expect(await importing(6)).toEqual({ target: 't', commits: 2, entries: 2, read: 2, from: from(5) });
    expect(await importing(10)).toMatchObject({ commits: 3, entries: 3, read: 2, from: from(9) });
    expect(await importing(6)).toMatchObject({ commits: 2, entries: 2, read: 1 });
    const [start] = await createLedger(fleet.redis, fleet.keys).read('t');
    expect(start).toMatchObject({ at: now - 5 * day, start: true, held: true });
    expect(await importing(1)).toEqual({ target: 't', commits: 0, entries: 0, read: 0 });
    expect(asked[0]).toEqual({ team: 'a' });
  });

  it('says why it ends when others change the ledger, and what is stored stays', async () => {
    const { git: opened } = await longRepository('disputed', 300);
    const tip = await commitOf(opened, 'main');
    fleet = await cli.fresh();
    await fleet.save('t', [npmFile('x', [])], { ledger: { requestedAt: '2090-01-01T00:00:00Z' } });
    /** An import that stores each segment. Before each time, `meanwhile` changes what is stored. */
    const importing = (meanwhile: () => Promise<unknown>) => {
      const own = stores();
      return importHistory(
        {
          ...own,
          async importedLedger(target) {
            const known = await own.importedLedger(target);
            const write: NonNullable<typeof known>['write'] = async (...written) => {
              await meanwhile();
              return (await known?.write(...written)) ?? false;
            };
            return known && { ...known, write };
          },
        },
        opened,
        { target: 't', tip, saveMs: 0, threads: 1 },
      );
    };
    const whole = () => importHistory(stores(), opened, { target: 't', tip, threads: 1 });
    // Another import has ended.
    let expected: unknown;
    const other = async () => {
      await whole();
      expected ??= await dump();
    };
    await expect(importing(other)).rejects.toMatchObject({
      code: 'ledger-changed',
      message: expect.stringContaining('another import'),
    });
    expect(expected).toBeDefined();
    expect(await dump()).toEqual(expected);
    // The target is forgotten.
    const forget = createTargetRemoval(
      fleet.redis,
      fleet.keys,
      createTargetSummaries(fleet.redis, fleet.keys),
    );
    await expect(importing(() => forget('t'))).rejects.toMatchObject({ code: 'target-unknown' });
    expect(await fleet.redis.exists(fleet.keys.ledger('t'))).toBe(0);
  });

  it('ends with an error when scans change the ledger each time', async () => {
    fleet = await cli.fresh();
    let version = 0;
    const scan = () => {
      version += 1;
      return fleet.save('t', [npmFile('x', [`a@${version}.0.0`])]);
    };
    await scan();
    const read = fleet.redis.lrangeBuffer.bind(fleet.redis);
    let isScanning = false;
    const spy = vi.spyOn(fleet.redis, 'lrangeBuffer').mockImplementation(async (...args) => {
      const own = await read(...(args as Parameters<typeof read>));
      if (isScanning) return own;
      isScanning = true;
      await scan();
      isScanning = false;
      return own;
    });
    const known = await createLedgerImport(fleet.redis, fleet.keys, fleet.inventories)('t');
    await expect(known?.write([{ at: 1, scan: 'import.a' }])).rejects.toMatchObject({
      code: 'ledger-changed',
      message: expect.stringContaining('scans wrote'),
    });
    spy.mockRestore();
    expect(await createLedger(fleet.redis, fleet.keys).read('t')).toHaveLength(version);
  });

  it.skipIf(BUNDLES.length === 0).each(BUNDLES)(
    'of %s equals a replay that reads every npm lockfile by itself',
    async (bundle) => {
      const repository = join(folder, bundle);
      execFileSync('git', ['clone', '-q', '--bare', '-b', 'main', join(CORPORA, bundle), repository]);
      const log = git(repository, 'log', '--first-parent', '--reverse', '--format=%H', 'main');
      const all = log.trim().split('\n').slice(0, MAX_COMMITS);
      git(repository, 'update-ref', 'refs/heads/main', all.at(-1) ?? '');
      await fleet.save(bundle, [npmFile('x', [])], { ledger: { requestedAt: '2100-01-01T00:00:00Z' } });
      const began = performance.now();
      const args = ['ledger', 'import', repository, '--target', bundle, '--json', '--config', keepAll];
      const { code, out } = await lockhound(args);
      expect(code).toBe(0);
      const { commits, entries } = JSON.parse(out);
      process.stdout.write(
        `${bundle}: ${commits} commits, ${entries} with changes, ${Math.round((commits * 1_000) / (performance.now() - began))} commits/s\n`,
      );
      const deltas = new Map((await deltasOf(bundle)).map((delta) => [delta.commit, delta]));
      const held = new Set<string>();
      for (const [index, commit] of all.entries()) {
        const delta = deltas.get(commit);
        if (delta !== undefined) replay(held, delta);
        // What an entry says wrongly stays wrong in the next ones.
        if (index % READ_EVERY !== 0 && index < all.length - 1) continue;
        const paths = git(repository, 'ls-tree', '-r', '-z', '--name-only', commit).split('\0');
        const files = paths
          .filter((path) => /(?:^|\/)package-lock\.json$/.test(path) && !/(?:^|\/)node_modules\//.test(path))
          .map((path) => ({
            path,
            packages: npmPackages(path, git(repository, 'show', `${commit}:${path}`)),
          }));
        // Those of version 1.
        const unread = files.filter(({ packages }) => packages === undefined).map(({ path }) => `${path} `);
        const isRead = (one: string) =>
          one.includes('package-lock.json NPM:') && !unread.some((path) => one.startsWith(path));
        expect([...held].filter(isRead).sort()).toEqual(
          [...new Set(files.flatMap(({ packages = [] }) => packages))].sort(),
        );
      }
    },
    300_000,
  );
});

/** Time of the first scan in seconds since 1970. */
const SCANNED = 3_000_000_000;

const READ = { isStart: true, exclude: [], onCommit: () => {} };

/** The stores of an import. They fail after so many writes. */
function stores(writes = Number.POSITIVE_INFINITY): Parameters<typeof importHistory>[0] {
  const open = createLedgerImport(fleet.redis, fleet.keys, fleet.inventories, { keepMs: () => 1e13 });
  let left = writes;
  return {
    packageIds: fleet.packageIds,
    async importedLedger(target) {
      const known = await open(target);
      if (known === undefined) return undefined;
      const write: typeof known.write = async (...written) => {
        const isWritten = await known.write(...written);
        left -= 1;
        if (left === 0) throw new Error('lost');
        return isWritten;
      };
      return { ...known, write };
    },
  };
}

/** All that Redis has of the ledger, byte for byte, and the ids of packages. */
async function dump(): Promise<unknown> {
  const { redis, keys } = fleet;
  const heads = headKeys(keys, 't').map(async (key) => (await redis.hgetBuffer(key, 't'))?.toString('hex'));
  const blocks = await redis.lrangeBuffer(keys.ledger('t'), 0, -1);
  return {
    blocks: blocks.map((one) => one.toString('hex')),
    heads: await Promise.all(heads),
    names: await redis.hgetall(keys.packageNames),
  };
}

/** The imported entries with the names of their packages. */
async function named(): Promise<unknown> {
  const entries = await createLedger(fleet.redis, fleet.keys).read('t');
  const nameOf = new Map(
    Object.entries(await fleet.redis.hgetall(fleet.keys.packageNames)).map(([id, name]) => [
      Number(id),
      name,
    ]),
  );
  return entries.map(({ files = [], ...entry }) => ({
    ...entry,
    files: files.map(({ path, came, via, roots, went }) => ({
      path,
      came: idsOf(came)
        .map((id, at) => `${nameOf.get(id)} ${via[at]} ${nameOf.get(roots[(via[at] ?? 0) - 1] ?? 0)}`)
        .sort(),
      went: idsOf(went)
        .map((id) => nameOf.get(id))
        .sort(),
    })),
  }));
}

/** The entries of segments with ids in the order in which they are asked for. */
async function joined(segments: AsyncIterable<SegmentHistory> | Iterable<SegmentHistory>): Promise<unknown> {
  const ids = new Map<string, number>();
  const intern = async (names: readonly string[]) =>
    names.map((name) => {
      const id = ids.get(name) ?? ids.size + 1;
      ids.set(name, id);
      return id;
    });
  const entries: unknown[] = [];
  const held = new Map();
  for await (const one of segments) entries.push(...(await joinSegment(one, held, intern)));
  return { entries, held, ids };
}

function lockfilesAt(index: number, random: () => number): Readonly<Record<string, string | undefined>> {
  const versions = ['a', 'b', 'c'].map((one) => [one, `${Math.floor(random() * 3)}.0.0`]);
  const kept = random() < 0.5 ? `damaged ${index}` : npmLock({ k: `${index % 9}.0.0` });
  const round = index % 40;
  return {
    'package-lock.json': npmLock(Object.fromEntries(versions)),
    // It cannot be read for some time, and keeps its packages; it is away for some time.
    'kept/package-lock.json': index % 100 > 90 ? undefined : kept,
    // It is removed while it is damaged, and has the same packages again later.
    'damaged/package-lock.json':
      round === 0 ? undefined : round > 30 ? `damaged ${index}` : npmLock({ d: '1.0.0' }),
    // It can never be read.
    'never/package-lock.json': `damaged ${index}`,
  };
}

/** A repository whose lockfiles change with each commit, are damaged, vanish and come back. */
async function longRepository(name: string, commits: number) {
  const repository = join(folder, name);
  const random = seededRandom(33);
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', repository]);
  const add = (branch: string, from: string | undefined, count: number): void => {
    const stream: string[] = [];
    for (let index = 0; index < count; index += 1) {
      stream.push(
        `commit refs/heads/${branch}\ncommitter a <a@example.com> ${1_700_000_000 + index} +0000\ndata 0\n`,
        index === 0 && from !== undefined ? `from refs/heads/${from}\n` : '',
      );
      for (const [path, text] of Object.entries(lockfilesAt(index, random)))
        stream.push(
          text === undefined
            ? `D ${path}\n`
            : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
        );
    }
    execFileSync('git', ['-C', repository, 'fast-import', '--quiet'], { input: stream.join('') });
  };
  add('main', undefined, commits);
  const opened = await openLocalRepository(repository, {
    inherited: { PATH: process.env['PATH'] ?? '' },
    signal: new AbortController().signal,
  });
  return { git: opened, add };
}

/** A repository with a commit at each of some times, in seconds since 1970; each brings one package. */
async function timedRepository(name: string, times: readonly number[]) {
  const commits = times.map((time, index) => {
    const packages = Object.fromEntries(times.slice(0, index + 1).map((_, at) => [`p${at}`, '1.0.0']));
    return [time, { 'package-lock.json': npmLock(packages) }] as const;
  });
  const opened = await commitsOf(name, commits);
  return { git: opened, tip: await commitOf(opened, 'main') };
}

/** A repository whose commits, with their times in seconds since 1970, write some files. */
async function commitsOf(
  name: string,
  commits: readonly (readonly [time: number | undefined, files: Readonly<Record<string, string>>])[],
) {
  const repository = join(folder, name);
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', repository]);
  const stream = commits.map(([time, files]) => {
    const written = Object.entries(files).map(
      ([path, text]) => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`,
    );
    return `commit refs/heads/main\ncommitter a <a@example.com> ${time} +0000\ndata 0\n${written.join('')}`;
  });
  execFileSync('git', ['-C', repository, 'fast-import', '--quiet'], { input: stream.join('') });
  const opened = await openLocalRepository(repository, {
    inherited: { PATH: process.env['PATH'] ?? '' },
    signal: new AbortController().signal,
  });
  return opened;
}

/** The packages of a `package-lock.json` of version 2 or 3 that come from a registry; `undefined` for one of version 1. */
function npmPackages(path: string, text: string): readonly string[] | undefined {
  const { packages } = JSON.parse(text) as {
    packages?: Record<string, { version?: string; name?: string; link?: boolean }>;
  };
  if (packages === undefined) return undefined;
  return Object.entries(packages).flatMap(([place, { version, name, link }]) => {
    const at = place.lastIndexOf('node_modules/');
    if (at < 0 || link === true || version === undefined) return [];
    return [`${path} NPM:${name ?? place.slice(at + 13)}@${version}`];
  });
}
