import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACT_TARGET } from '../../src/jobs/check-contract.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterEach(() => world.services.discovery.faults.clear());
afterAll(() => world.close());

type Tree = Record<string, never>;

function insights(): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL('../../apis/insights.v3alpha.json', import.meta.url), 'utf8'));
}

/** A possible future insights API: a field that is read was removed, and a method has another path. */
function tomorrow(): Record<string, unknown> {
  const document = insights();
  delete (document['schemas'] as Record<string, { properties: Tree }>)['Version']?.properties['advisoryKeys'];
  const text = JSON.stringify(document);
  return JSON.parse(text.replaceAll('v3alpha/purlbatch', 'v3alpha/purls:batch'));
}

function alerts(name: string) {
  return world.services.receiver.deliveries().filter(({ path }) => path === `/${name}`);
}

async function changesOf(name: string): Promise<readonly string[]> {
  return alerts(name).map(({ body }) => {
    const { target, changes } = JSON.parse(body);
    const lines = changes.map((one: { transition: string; rule: string; package: string; title: string }) =>
      [one.transition, one.rule, one.package, one.title.replace(/:.*$/, '')].join(' '),
    );
    return [target, ...lines].join('\n');
  });
}

/** Waits until that many more checks have been judged. */
async function checks(room: Room, more: number): Promise<void> {
  const revision = async () => (await room.store.targets.read(CONTRACT_TARGET.id))?.revision ?? 0;
  const from = await revision();
  await expect.poll(revision, { interval: 50 }).toBeGreaterThanOrEqual(from + more);
}

const EVERY = { LOCKHOUND_CONTRACT_INTERVAL: '300ms' };
const OPENED = [
  'lockhound:contract',
  'opened contract-drift insights Version $.schemas.Version.properties.advisoryKeys',
  'opened contract-drift insights insights.purlLookupBatch $.methods.purlLookupBatch.path',
];

describe('a published document that breaks us', () => {
  it('is one alert when it appears and one when it is corrected; scans continue', async () => {
    const room = await world.room('drift');
    room.work({ ...EVERY, LOCKHOUND_CONTRACT_DIRECTORY: world.services.discovery.url });
    await checks(room, 2);
    expect(alerts('drift')).toEqual([]);

    world.services.discovery.publish(tomorrow());
    await expect.poll(() => alerts('drift').length).toBe(1);
    expect((await changesOf('drift'))[0]?.split('\n').sort()).toEqual(OPENED);
    await checks(room, 3);
    expect(alerts('drift')).toHaveLength(1);

    // An API that cannot be checked resolves nothing, and scans continue.
    world.services.discovery.faults.inject({ kind: 'answer', status: 404 }, { times: 1_000 });
    await room.producer.enqueue({
      scan: 'one',
      target: { id: 'shop' },
      lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
    });
    expect((await room.verdict('one')).counts.outcomes).toMatchObject({ resolved: 3 });
    await room.outcome('deliver-notification', 'one.default');
    await checks(room, 2);
    expect(alerts('drift')).toHaveLength(2);
    world.services.discovery.faults.clear();

    world.services.discovery.publish(insights());
    await expect.poll(() => alerts('drift').length).toBe(3);
    expect((await changesOf('drift')).at(-1)?.split('\n').sort()).toEqual(
      OPENED.map((line) => line.replace(/^opened/, 'resolved')),
    );
    await checks(room, 2);
    expect(alerts('drift')).toHaveLength(3);
    const state = await room.store.targets.read(CONTRACT_TARGET.id);
    expect(state?.findings.map(({ status }) => status)).toEqual(['resolved', 'resolved']);
    // Unchanged documents were not sent again.
    expect(world.services.discovery.answers().get(304)).toBeGreaterThan(5);
  });

  it('is reported once by several workers, also from a separate directory address', async () => {
    world.services.discovery.publish(tomorrow());
    const room = await world.room('address');
    const where = {
      ...EVERY,
      LOCKHOUND_CONTRACT_DOCUMENTS_INSIGHTS: world.services.discovery.documentUrl('insights', 'v3alpha'),
    };
    room.work(where);
    room.work(where);
    await expect.poll(() => alerts('address').length).toBe(1);
    await checks(room, 4);
    expect(alerts('address')).toHaveLength(1);
    expect(alerts('address')[0]?.taken).toBe(1);
    world.services.discovery.publish(insights());
    await expect.poll(() => alerts('address').length).toBe(2);
  });
});

describe('without anything to check', () => {
  it('no check is scheduled, and a former schedule is removed', async () => {
    const room = await world.room('unscheduled');
    const first = room.work({ ...EVERY, LOCKHOUND_CONTRACT_DIRECTORY: world.services.discovery.url });
    await checks(room, 1);
    await first.stop();
    const second = room.work();
    await expect.poll(() => second.output()).toContain('worker ready');
    const { Queue } = await import('bullmq');
    const queue = new Queue('schedules', { connection: { url: world.redisUrl }, prefix: '{unscheduled}' });
    const names = (await queue.getJobSchedulers()).map(({ key }) => key).sort();
    expect(names).toEqual([
      'collect-garbage',
      'count-fleet',
      'digests-left-behind',
      'select-targets',
      'unwatched-targets',
    ]);
    await queue.close();
  });
});
