import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pipeline, startPipeline } from '../../src/compose/pipeline.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type Rewrite, type RewritingProxy, startRewritingProxy, withField } from '../rewriting-proxy.ts';
import { LOCKFILE } from './fixtures.ts';
import { refresh, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

let world: World;
let proxy: RewritingProxy;

beforeAll(async () => {
  world = await createWorld();
  proxy = await startRewritingProxy(world.services.insights.url);
});
afterAll(async () => {
  await proxy.close();
  await world.close();
});

async function startHere(room: Room): Promise<Pipeline> {
  const environment = {
    LOCKHOUND_INSIGHTS_URL: proxy.url,
    LOCKHOUND_INSIGHTS_RECORD_TTL: '1ms',
    LOCKHOUND_POLICY_RULES_DEPRECATED_LEVEL: 'alert',
    LOCKHOUND_POLICY_LICENSES_DENY: 'Apache-2.0',
  };
  return await startPipeline(loadConfig({ environment }), room.store, {
    log: pino({ level: 'silent' }),
    limits: { attempts: 2, backoffMs: 10, maxBackoffMs: 20 },
  });
}

async function stateOf({ targets }: Room['store']) {
  for await (const [, state] of targets.each(['one'], unreadable)) return state;
  return undefined;
}

function unreadable(error: unknown): never {
  throw error;
}

async function findingsOf({ store }: Room) {
  const state = await stateOf(store);
  const open = state?.findings.filter(({ status }) => status === 'open') ?? [];
  return {
    open: open.map(({ finding }) => `${finding.rule} ${finding.package.name}`).sort(),
    all: state?.findings.length,
    incomplete: state?.incomplete,
  };
}

const LOSSES: readonly (readonly [what: string, group: string, loss: Rewrite])[] = [
  ['its advisory links', 'NPM advisories', withField('advisoryKeys', [])],
  ['what is deprecated', 'NPM deprecation', withField('isDeprecated', false)],
  ['its licences', 'NPM licences', withField('licenses', [])],
  ['its publication dates', 'NPM publication date', withField('publishedAt', undefined)],
  ['its versions', 'NPM versions', withField('result', undefined)],
];

describe.each(LOSSES)('an index that loses %s', (_what, group, loss) => {
  it('resolves nothing, in a refresh or in a scan, and says so until it has them again', async () => {
    const room = await world.room(`lost-${group.replaceAll(' ', '-').toLowerCase()}`);
    const worker = await startHere(room);
    await scan(room, 'one', LOCKFILE);
    const before = await findingsOf(room);
    expect(before).toMatchObject({ incomplete: false });
    expect(before.open).toEqual(expect.arrayContaining(['vulnerability lodash', 'deprecated request']));
    const lostAt = Date.now();
    proxy.rewrite(loss);
    for (const step of [() => refresh(room), () => refresh(room), () => scan(room, 'one', LOCKFILE)]) {
      await step();
      expect(await findingsOf(room)).toEqual({ ...before, incomplete: true });
      const last = await room.store.fleet.lastRefresh('all');
      expect(last?.dataLoss?.of).toEqual([group]);
      // A doubted answer makes nothing fresh.
      const oldest = (await room.store.fleet.freshness(60_000)).oldest ?? 0;
      expect(oldest).toBeLessThan(lostAt);
    }
    proxy.rewrite(undefined);
    await refresh(room);
    expect(await findingsOf(room)).toEqual(before);
    const recovered = await room.store.fleet.lastRefresh('all');
    expect(recovered?.dataLoss).toBeUndefined();
    const { oldest } = await room.store.fleet.freshness(60_000);
    expect(oldest).toBeGreaterThan(lostAt);
    await worker.close(1_000);
  });
});

describe('an honest correction', () => {
  it('resolves its finding, in a refresh and in a scan', async () => {
    const room = await world.room('corrected');
    const worker = await startHere(room);
    await scan(room, 'one', LOCKFILE);
    const before = await findingsOf(room);
    const corrected: Rewrite = (answer) =>
      JSON.parse(JSON.stringify(answer), (_key, value) =>
        value?.versionKey?.name === 'minimist' ? { ...value, advisoryKeys: [] } : value,
      );
    proxy.rewrite(corrected);
    await refresh(room);
    const open = before.open.filter((one) => one !== 'vulnerability minimist');
    expect(await findingsOf(room)).toEqual({ ...before, open });
    proxy.rewrite(undefined);
    await refresh(room);
    expect(await findingsOf(room)).toEqual(before);
    proxy.rewrite(corrected);
    await scan(room, 'one', LOCKFILE);
    expect(await findingsOf(room)).toEqual({ ...before, open });
    proxy.rewrite(undefined);
    await worker.close(1_000);
  });
});

describe('a large correction', () => {
  it('is believed when a person accepts it, as far as it was accepted, and a refresh says so', async () => {
    const room = await world.room('accepted');
    const worker = await startHere(room);
    await scan(room, 'one', LOCKFILE);
    const before = await findingsOf(room);
    const accept = () => room.lockhound('targets', 'accept-corrections', '--author', 'sam');
    expect(await accept()).toMatchObject({ code: 2, output: expect.stringContaining('doubts nothing') });
    proxy.rewrite(withField('advisoryKeys', []));
    await refresh(room);
    expect((await findingsOf(room)).open).toEqual(before.open);
    expect(await accept()).toMatchObject({
      code: 0,
      output: expect.stringContaining('sam accepted this at'),
    });
    // What is lost after that was not accepted.
    proxy.rewrite((answer) => withField('licenses', [])(withField('advisoryKeys', [])(answer, ''), ''));
    await refresh(room);
    const open = before.open.filter((one) => !one.startsWith('vulnerability '));
    expect(await findingsOf(room)).toMatchObject({ open, incomplete: true });
    expect(await room.store.fleet.lastRefresh('all')).toMatchObject({
      dataLoss: { of: ['NPM licences'] },
      believed: { by: 'sam', of: ['NPM advisories'] },
    });
    proxy.rewrite(undefined);
    await worker.close(1_000);
  });
});
