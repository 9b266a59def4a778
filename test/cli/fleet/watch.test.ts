import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { movesBetween } from '../../../src/cli/operations/nouns/watch.ts';
import { run } from '../../../src/cli/program/program.ts';
import { createInspections } from '../../../src/store/facts/inspections.ts';
import { npmFile, openFleet } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
let time: number;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());
beforeEach(async () => {
  const { redis, keys } = await cli.fresh();
  time = Date.parse('2026-03-30T00:21:58Z');
  fleet = openFleet(redis, keys.prefix, { now: () => time });
});

function save(target: string, version: string) {
  return fleet.save(target, [npmFile('package-lock.json', [`left-pad@${version}`])]);
}

describe('lockhound watch package', () => {
  it('shows when each version was first seen, who took the last one, and who held back', async () => {
    await save('shop/web', '1.3.0');
    await save('shop/legacy', '1.3.0');
    time += 24 * 3_600_000;
    await save('shop/web', '1.4.0');
    time += 3_600_000;
    await save('shop/api', '1.4.0');
    await createInspections(fleet.redis, fleet.keys).store([
      {
        identity: 'NPM:left-pad@1.4.0',
        inspection: {
          inspectedAt: '2026-03-31T00:30:00Z',
          signals: [
            { signal: 'fresh-release', text: '' },
            { signal: 'young-requirement', grade: 'package', text: '' },
          ],
          unknown: [],
        },
        isNews: false,
      },
    ]);
    const { code, out } = await lockhound(['watch', 'package', 'left-pad']);
    expect(code).toBe(0);
    expect(out).toMatch(/ 1\.4\.0 +2026-03-31 00:21 UTC +2 +young-requirement, fresh-release +4\n/);
    expect(out).toMatch(/ 1\.3\.0 +2026-03-30 00:21 UTC +1 +0\n/);
    expect(out).toMatch(/targets \(3\)\n[\s\S]* shop\/legacy +pkg:npm\/left-pad@1\.3\.0\n/);
    const json = JSON.parse((await lockhound(['watch', 'package', 'left-pad', '--json'])).out);
    expect(json).toMatchObject({
      versions: [{ purl: 'pkg:npm/left-pad@1.4.0', firstSeenAt: '2026-03-31T00:21:00.000Z', targets: 2 }, {}],
      targets: [{ target: 'shop/api' }, { target: 'shop/legacy' }, { target: 'shop/web' }],
    });
  });

  it('says when nothing holds a package, and names similar ones', async () => {
    await save('shop/web', '1.3.0');
    const { code, out } = await lockhound(['watch', 'package', 'left']);
    expect(code).toBe(1);
    expect(out).toMatch(/targets +none\n[\s\S]*similar +left-pad \(npm\)\n/);
    expect((await lockhound(['watch', 'package', 'x', '--every', '5ms'])).code).toBe(2);
  });

  it('has no first time for versions from before it was recorded', async () => {
    await save('shop/web', '1.3.0');
    await fleet.redis.del(fleet.keys.packageTimes);
    await save('shop/api', '1.4.0');
    const { out } = await lockhound(['watch', 'package', 'left-pad']);
    expect(out).toMatch(/ 1\.3\.0 {2,}1 /);
    expect(out).toMatch(/ 1\.4\.0 +2026-03-30 00:21 UTC/);
  });

  it('follows the targets that take and leave versions, until it is stopped', async () => {
    await save('shop/web', '1.3.0');
    const printed = Promise.withResolvers<void>();
    let out = '';
    const watching = run(['watch', 'package', 'left-pad', '--follow', '--every', '1s'], {
      out(data) {
        out += String(data);
        if (out.includes('took')) process.emit('SIGINT', 'SIGINT');
        printed.resolve();
      },
      note: () => {},
      colour: false,
      interactive: false,
      width: 100,
      noteWidth: 100,
    });
    await printed.promise;
    await save('shop/web', '1.4.0');
    expect(await watching).toBe(130);
    expect(out).toMatch(/ shop\/web +pkg:npm\/left-pad@1\.4\.0 +pkg:npm\/left-pad@1\.3\.0\n/);
  });

  it('finds which targets took and left what', () => {
    const of = (target: string, ...purls: string[]) => ({ target, purls });
    const moves = movesBetween(
      [of('a', 'p@1'), of('b', 'p@1')],
      [of('a', 'p@2'), of('b', 'p@1'), of('c', 'p@2')],
    );
    expect(moves).toEqual([
      { target: 'a', took: ['p@2'], left: ['p@1'] },
      { target: 'c', took: ['p@2'], left: [] },
    ]);
  });
});

describe('the times of package ids', () => {
  it('stay bounded: the oldest become coarser', async () => {
    const { redis, keys, packageIds } = fleet;
    await packageIds.intern(['a']);
    const entries = Array.from({ length: 20_001 }, (_, index) => [index + 2, String(index + 1)]).flat();
    for (let at = 0; at < entries.length; at += 4_000) {
      await redis.zadd(keys.packageTimes, ...entries.slice(at, at + 4_000));
    }
    await redis.set(keys.lastPackageId, '20002');
    await packageIds.intern(['b']);
    expect(await redis.zcard(keys.packageTimes)).toBeLessThan(20_000);
    const [first, last] = [await packageIds.givenAt([2]), await packageIds.givenAt([20_003])];
    expect(first.get(2)).toBeGreaterThanOrEqual(60_000);
    expect(last.get(20_003)).toBe(Math.floor(time / 60_000) * 60_000);
  });
});
