import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PackageChecks } from '../../../src/model/api/lockhound-api.generated.ts';
import { CACHED_VERSION } from '../../../src/model/stored/catalog.ts';
import { chunks } from '../../../src/model/yielding.ts';
import { createFactStore } from '../../../src/store/facts/facts.ts';
import { createSuppressionStore } from '../../../src/store/suppressions.ts';
import { npmFile } from '../../store/fleet/fleet-room.ts';
import { until } from '../../until.ts';
import { type GateRoom, openGateRoom } from './gate-room.ts';

/** Young packages and those without a release for years have signals. */
const OLD = new Date(Date.now() - 365 * 24 * 3_600_000).toISOString();
const MONTH_AGO = new Date(Date.now() - 30 * 24 * 3_600_000).toISOString();
const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();
const version = (text: string, more: object = {}) => ({
  version: text,
  license: 'MIT',
  publishedAt: OLD,
  dependencies: {},
  ...more,
});
const DATA = {
  packages: [
    { system: 'NPM', name: 'lodash', default: '4.17.21', versions: [version('4.17.20'), version('4.17.21')] },
    {
      system: 'NPM',
      name: 'fresh',
      default: '2.0.0',
      versions: [version('1.0.0'), version('2.0.0', { publishedAt: HOUR_AGO })],
    },
    {
      system: 'NPM',
      name: 'newborn',
      default: '1.0.0',
      versions: [version('1.0.0', { publishedAt: MONTH_AGO })],
    },
    {
      system: 'NPM',
      name: 'adopted',
      default: '1.0.1',
      versions: [version('1.0.0', { publishedAt: MONTH_AGO }), version('1.0.1', { publishedAt: MONTH_AGO })],
    },
    {
      system: 'NPM',
      name: 'half-dated',
      default: '1.0.0',
      versions: [version('1.0.0', { publishedAt: MONTH_AGO }), { version: '0.9.0' }],
    },
    { system: 'NPM', name: 'evil', default: '1.0.0', versions: [version('1.0.0')] },
    {
      system: 'NPM',
      name: 'lodahs',
      default: '1.0.0',
      similar: ['lodash'],
      findings: [
        {
          type: 'LOW_USAGE',
          risk: 'RISK_HIGH',
          lowUsageContext: { alternativePackages: [{ name: 'lodash' }] },
        },
      ],
      versions: [version('1.0.0', { publishedAt: HOUR_AGO })],
    },
    { system: 'NPM', name: 'undated', versions: [{ version: '1.0.0' }] },
    { system: 'NPM', name: 'patchy', default: '2.0.0', versions: [version('1.0.0'), version('2.0.0')] },
    { system: 'NPM', name: 'unlisted', versions: [version('1.0.0')] },
    { system: 'NPM', name: 'unpublished', versions: [] },
    { system: 'NPM', name: 'taken-down', default: '0.0.1-security', versions: [version('0.0.1-security')] },
    { system: 'PYPI', name: 'taken-down', default: '1.0', versions: [version('1.0')] },
    { system: 'NPM', name: 'old', default: '1.0.0', versions: [version('1.0.0', { deprecated: 'use new' })] },
    {
      system: 'PYPI',
      name: 'held',
      default: '1.0',
      versions: [version('1.0', { projectStatus: { status: 'quarantined', reason: 'malware' } })],
    },
  ],
  advisories: [
    {
      id: 'GHSA-aaaa-bbbb-cccc',
      title: 'Pollution\u001b[31m',
      aliases: ['CVE-2021-1'],
      score: 7.4,
      affected: [{ system: 'NPM', name: 'lodash', range: '<4.17.21' }],
      heldBack: false,
    },
    {
      id: 'MAL-2025-1',
      title: 'Malicious code in evil',
      aliases: [],
      affected: [{ system: 'NPM', name: 'evil', range: '*' }],
      heldBack: false,
    },
  ],
} as never;

let gate: GateRoom;

const ask = async (
  packages: readonly string[],
  more: object = {},
  who: 'all' | 'team' = 'all',
  api: GateRoom['api'] = gate.api,
) => {
  const answer = await api.request('/api/v1/packages/check', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gate.tokens[who]}` },
    body: JSON.stringify({ packages, ...more }),
  });
  return { ...answer, json: answer.json as PackageChecks };
};
const one = async (
  text: string,
  ...rest: Parameters<typeof ask> extends [unknown, ...infer More] ? More : []
) => {
  const { json } = await ask([text], ...rest);
  return { ...json.packages[0], codes: json.packages[0]?.reasons.map(({ code }) => code) };
};

beforeAll(async () => {
  const fill: Parameters<typeof openGateRoom>[0] = async ({ save }) => {
    await save('a/shop', [npmFile('package-lock.json', ['lodash@4.17.20'])], {
      labels: { tier: 'payments' },
    });
    // None of them was inspected.
    const held = ['lodash@4.17.21', 'secret-name@1.0.0', 'lodahs@1.0.0', 'adopted@1.0.0'];
    await save('b/bank', [npmFile('package-lock.json', held)]);
    // Two lockfiles of one target are one holder.
    const both = ['package-lock.json', 'web/package-lock.json'];
    await save(
      'b/blog',
      both.map((path) => npmFile(path, ['lodash@4.17.21'])),
    );
  };
  gate = await openGateRoom(fill, { data: DATA });
});
afterAll(() => gate.close());

describe('packages.check', () => {
  it('allows what is known and good, with what the fleet uses', async () => {
    const found = await one('lodash');
    expect(found).toMatchObject({
      requested: 'lodash',
      decision: 'allow',
      version: '4.17.21',
      purl: 'pkg:npm/lodash@4.17.21',
      licenses: ['MIT'],
      reasons: [],
      mostUsed: { version: '4.17.21', targets: 2 },
      newestGood: { version: '4.17.21' },
    });
    expect(found.firstSeenAt).toMatch(/^20\d\d-/);
  });

  it('warns about a vulnerability, and names the version to add instead', async () => {
    expect(await one('lodash@4.17.20')).toMatchObject({
      decision: 'warn',
      codes: ['high'],
      advisories: [{ id: 'GHSA-aaaa-bbbb-cccc' }],
      newestGood: { version: '4.17.21' },
    });
    expect(await one('pkg:npm/lodash@<4.17.21')).toMatchObject({ version: '4.17.20', codes: ['high'] });
  });

  it('blocks malware and what is in quarantine', async () => {
    const evil = await one('evil');
    expect([evil.decision, evil.codes?.[0]]).toEqual(['block', 'malware']);
    const held = await one('pkg:pypi/held');
    expect([held.decision, held.codes?.[0]]).toEqual(['block', 'quarantined']);
    expect(await one('held', { ecosystem: 'python' })).toMatchObject({ decision: 'block' });
  });

  it('warns about what is young, and names the newest version that is not', async () => {
    const found = await one('fresh');
    expect(found).toMatchObject({ decision: 'warn', newestGood: { version: '1.0.0' } });
    expect(found.codes).toContain('young');
  });

  it('warns about a package that is new and that no target holds', async () => {
    expect(await one('newborn')).toMatchObject({ decision: 'warn', codes: ['new-package'] });
    // Another version of it is held.
    expect(await one('adopted')).toMatchObject({ decision: 'allow', codes: [] });
    // Who may not see the target that holds it learns nothing of it.
    expect(await one('adopted', {}, 'team')).toMatchObject({ decision: 'warn', codes: ['new-package'] });
    // An older version may be the first one.
    expect(await one('half-dated')).toMatchObject({ decision: 'allow', codes: [] });
  });

  it('names what is meant more likely', async () => {
    const found = await one('lodahs');
    expect(found).toMatchObject({ decision: 'warn', meant: ['lodash'] });
    // A name that nobody published resembles one of the fleet.
    const missing = await one('lodashh');
    expect(missing).toMatchObject({ decision: 'warn', meant: ['lodash'], codes: ['missing', 'look-alike'] });
    expect(await one('nothing-like-it')).toMatchObject({ decision: 'warn', meant: [], codes: ['missing'] });
    const taken = await one('taken-down');
    expect(taken).toMatchObject({ decision: 'warn', codes: ['missing'], version: '0.0.1-security' });
    expect(taken.reasons?.[0]?.text).toContain('npm removed the package for security');
    expect(await one('pkg:pypi/taken-down')).toMatchObject({ decision: 'allow' });
    const unpublished = await one('unpublished');
    expect(unpublished.reasons).toMatchObject([{ code: 'missing', text: 'the index has no version of it' }]);
    expect(await one('lodash@99')).toMatchObject({ decision: 'warn', meant: [], codes: ['missing'] });
    expect(await one('lodash@99.0.0')).toMatchObject({ decision: 'warn', codes: ['missing'] });
  });

  it.each([
    ['lodash@not a range!', 'neither a version nor a range'],
    ['pkg:npm/', 'not a valid purl'],
    ['pkg:docker/nginx@1.0', 'no docker packages'],
    ['pkg:npm/own@1.0.0?repository_url=https://npm.example', 'not a public registry'],
    ['pkg:npm/own@%5E1?repository_url=https://npm.example', 'not a public registry'],
    ['', 'names no package'],
    ['x'.repeat(1_001), 'longer than'],
    ['a\u0000b', ''],
  ])('warns that nothing is known of %j', async (text, reason) => {
    const found = await one(text);
    expect(found).toMatchObject({ decision: 'warn' });
    expect(found.reasons?.map((each) => each.text).join()).toContain(reason);
  });

  it('answers each of many, duplicates too, and refuses more', async () => {
    const many = Array.from({ length: 500 }, (_, index) => (index % 2 === 0 ? 'lodash' : `none-${index}`));
    const { status, json } = await ask(many);
    expect([status, json.packages.length, json.counts]).toEqual([
      200,
      500,
      { allow: 250, warn: 250, block: 0 },
    ]);
    expect((await ask([...many, 'lodash'])).status).toBe(400);
    expect((await ask([])).status).toBe(400);
    expect((await ask(['x'.repeat(10_000_000)])).status).toBe(413);
  });

  it('does not repeat a long ecosystem for each package', async () => {
    const packages = Array.from({ length: 50 }, (_, index) => `left-${index}`);
    const { text, json } = await ask(packages, { ecosystem: 'x'.repeat(100_000) });
    expect(text.length).toBeLessThan(20_000);
    expect(json.counts).toEqual({ allow: 0, warn: 50, block: 0 });
    expect(json.packages[49]?.reasons).toEqual([
      { code: 'unknown', decision: 'warn', text: 'not known: it is longer than 1,000 characters' },
    ]);
  });

  it('warns of the one that the service does not answer, and of no other', async () => {
    gate.insights.faults.inject(
      { kind: 'answer', status: 500 },
      { times: 1_000, when: ({ url }) => url.includes('/systems/NPM/packages/unanswered') },
    );
    const names = ['unanswered', ...Array.from({ length: 19 }, () => 'lodash')];
    const { json } = await ask(names);
    expect(json.packages.map(({ decision }) => decision)).toEqual([
      'warn',
      ...names.slice(1).map(() => 'allow'),
    ]);
    expect(json.packages[0]?.reasons[0]).toMatchObject({ code: 'unknown' });
    gate.insights.faults.clear();
    expect(await one('unanswered')).toMatchObject({ codes: ['missing'] });
  });

  it('keeps an answer until what it depends on changes', async () => {
    const { redis, keys } = gate.fleet;
    const question = 'lodash@4.17.20';
    const first = await one(question);
    const suppressions = createSuppressionStore(redis, keys);
    const suppression = {
      ...{ id: 'one', reason: 'a test', source: 'command' as const },
      package: { ecosystem: 'npm', name: 'lodash' },
    };
    const added = { suppression, addedAt: OLD };
    await suppressions.put([added]);
    expect(await one(question)).toMatchObject({ decision: 'allow', reasons: [{ suppressed: true }] });
    await suppressions.put([{ ...added, removed: { at: OLD, author: 'somebody' } }]);
    expect(await one(question)).toEqual(first);
    // Neither for another target nor for another caller.
    expect((await one(question, { target: 'a/shop' }, 'team')).mostUsed?.targets).toBe(1);
    expect((await one('lodash')).mostUsed?.targets).toBe(2);
    expect((await one('lodash', {}, 'team')).mostUsed?.targets).toBe(1);
    await gate.fleet.save('c/new', [npmFile('package-lock.json', ['lodash@4.17.21'])]);
    await until('the new target counts', async () => (await one('lodash')).mostUsed?.targets === 3);
  });

  it('judges by the policy and the labels of a target', async () => {
    const config = await gate.serve({ LOCKHOUND_POLICY_GATE_HIGH: 'block' });
    const answer = await config.request('/api/v1/packages/check', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gate.tokens.all}` },
      body: JSON.stringify({ packages: ['lodash@4.17.20'], target: 'a/shop' }),
    });
    expect(answer.json.packages[0].decision).toBe('block');
    expect((await ask(['lodash'], { target: 'no/such' })).status).toBe(404);
  });

  it('tells a token for some targets nothing of others', async () => {
    const found = await one('lodash', {}, 'team');
    expect(found).toMatchObject({ decision: 'allow', mostUsed: { version: '4.17.20', targets: 1 } });
    expect(found).not.toHaveProperty('firstSeenAt');
    const near = await one('secret-nam', {}, 'team');
    expect(near).toMatchObject({ meant: [], codes: ['missing'] });
    expect(await one('secret-name', {}, 'team')).not.toHaveProperty('mostUsed');
    expect((await ask(['lodash'], { target: 'b/bank' }, 'team')).status).toBe(404);
  });
});

describe('what is not known is said, and a warning', () => {
  /** Asks a server that has asked nothing before, while the service fails. */
  const whileFailing = async (text: string, fails: (url: string) => boolean) => {
    const api = await gate.serve();
    gate.insights.faults.inject(
      { kind: 'answer', status: 500 },
      { times: 1_000, when: ({ url }) => fails(url) },
    );
    const found = await one(text, {}, 'all', api);
    gate.insights.faults.clear();
    return found;
  };
  const reasonsOf = ({ reasons = [] }: { readonly reasons?: PackageChecks['packages'][number]['reasons'] }) =>
    reasons.map((each) => `${each.decision} ${each.code} ${each.text}`);

  it('the look-up of a candidate', async () => {
    let batches = 0;
    const found = await whileFailing('patchy@1.0.0', (url) => /purlbatch/.test(url) && ++batches > 1);
    expect(found).toMatchObject({ decision: 'warn', version: '1.0.0' });
    expect(found).not.toHaveProperty('newestGood');
    expect(reasonsOf(found)).toEqual([
      expect.stringMatching(/^warn unknown not known: the newest good version of patchy: /),
    ]);
    // It is another question when the service answers.
    expect(await one('patchy@1.0.0')).toMatchObject({ decision: 'allow', newestGood: { version: '2.0.0' } });
  });

  it('the list of versions', async () => {
    const found = await whileFailing('unlisted@1.0.0', (url) => url.endsWith('/packages/unlisted'));
    expect(found).toMatchObject({ decision: 'warn', version: '1.0.0' });
    expect(reasonsOf(found).join()).toContain('not known: the newest good version of unlisted: ');
  });

  it('when a version was published', async () => {
    const found = await one('undated');
    expect(found).toMatchObject({ decision: 'warn', version: '1.0.0' });
    expect(reasonsOf(found).join()).toContain('not known: when it was published');
  });

  it('names that are meant', async () => {
    const found = await whileFailing('lodashhh', (url) => /[sS]imilarlyNamed/.test(url));
    expect(found).toMatchObject({ decision: 'warn' });
    expect(reasonsOf(found).join()).toContain('warn unknown not known: names that are meant more likely: ');
  });

  it('how many targets hold it, and since when', async () => {
    const { redis, keys } = gate.fleet;
    const times = await redis.zrange(keys.packageTimes, '0', '-1', 'WITHSCORES');
    await redis.del(keys.packageTimes);
    // This server has not read them.
    const lost = await one('lodash', {}, 'all', await gate.serve());
    await redis.zadd(
      keys.packageTimes,
      ...chunks(times, 2).flatMap(([member = '', score = '']) => [score, member]),
    );
    expect(lost).toMatchObject({ decision: 'warn', mostUsed: { version: '4.17.21' } });
    expect(reasonsOf(lost)).toEqual(['warn unknown not known: when the fleet saw it first']);

    const buckets = await redis.keys(keys.idLists(0).replace(/0$/, '*'));
    const lists = await Promise.all(
      buckets.map(async (key) => [key, await redis.hgetallBuffer(key)] as const),
    );
    const [[bucket, stored] = ['', {}]] = lists;
    const [hash = ''] = Object.keys(stored);
    await redis.hset(bucket, hash, Buffer.concat([stored[hash] as Buffer, Buffer.from([0x80])]));
    const damaged = await one('lodash', {}, 'all', await gate.serve());
    await redis.hset(bucket, hash, stored[hash] as Buffer);
    expect(damaged.decision).toBe('warn');
    expect(reasonsOf(damaged).join()).toContain('not known: how many targets hold it');
    expect((await one('lodash')).decision).toBe('allow');
  });

  it('versions that imported advisories alone name', async () => {
    const record = {
      versionKey: { system: 'NPM' as const, name: 'lacking', version: '1.0.0' },
      ...{
        isDefault: false,
        isDeprecated: false,
        licenses: [],
        advisoryIds: [],
        serviceLacks: true as const,
      },
    };
    const facts = createFactStore(gate.room.redis, gate.fleet.keys, CACHED_VERSION, {
      ...{ recordTtlMs: 60_000, missTtlMs: 60_000 },
    });
    await facts.learn([['NPM:lacking@1.0.0', { record }]]);
    const found = await one('lacking@1.0.0');
    expect(found).toMatchObject({ decision: 'warn' });
    expect(found).not.toHaveProperty('licenses');
    expect(reasonsOf(found).join()).toContain('its existence, date, licences and signs of a compromise');
  });
});
