import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { npmFile } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'simulate-'));
const file = join(folder, 'lockhound.yaml');
let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
  // The secrets of the webhooks are not set: a simulation needs none.
  writeFileSync(
    file,
    `notify:
  routes:
    - name: web
      match: { labels: { team: web }, minSeverity: high }
      webhook: { url: "https://example.com/web", headers: { authorization: "Bearer $TOKEN" } }
  webhook: { url: "https://example.com/rest" }
  variables: { TOKEN: { secret: { env: NOT_SET } } }
`,
  );
});
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  fleet = await cli.fresh();
  const web = { labels: { team: 'web' } };
  await fleet.save('shop', [npmFile('package-lock.json', ['lodash@4.17.20', 'lodash@3.0.0'])], web);
  await fleet.save('api', [npmFile('package-lock.json', ['lodash@4.17.20'])]);
  await fleet.save('new', [npmFile('package-lock.json', ['lodash@4.17.21'])]);
  const own = npmFile('package-lock.json', ['lodash@4.17.19']);
  const packages = own.packages.map((one) => ({
    ...one,
    resolution: { outcome: 'private' as const, reason: 'ours' },
  }));
  await fleet.save('private', [{ ...own, packages }]);
});

it('shows targets and routes that an advisory would reach, and writes nothing', async () => {
  const everything = async () => {
    const all = (await fleet.redis.keys('*')).sort();
    return await Promise.all(
      all.map(async (key) => [
        key,
        await fleet.redis.object('ENCODING', key),
        (await fleet.redis.dumpBuffer(key))?.toString('hex'),
      ]),
    );
  };
  const before = await everything();
  const args = ['simulate', 'advisory', 'pkg:npm/lodash@<4.17.21', '--config', file];
  const { code, out } = await lockhound([...args, '--severity', 'critical']);
  expect(code).toBe(0);
  expect(out).toBe(`api
  pkg:npm/lodash@4.17.20  to default
shop  team=web
  pkg:npm/lodash@3.0.0, pkg:npm/lodash@4.17.20  to web

An advisory about pkg:npm/lodash@<4.17.21 (critical) reaches 2 targets.
1 target only holds packages of that name that are never looked up.
  route web      digest  1 target
  route default  digest  1 target
`);
  const low = JSON.parse((await lockhound([...args, '--severity', 'low', '--json'])).out);
  expect(low.routes).toMatchObject([
    { route: 'web', targets: 0 },
    { route: 'default', targets: 2 },
  ]);
  const unrated = JSON.parse((await lockhound([...args, '--json'])).out);
  expect(unrated).toMatchObject({ severity: 'unrated', countsAs: 'medium' });
  expect(await everything()).toEqual(before);
});

it('says when nothing is reached, and when nothing would be sent', async () => {
  const none = await lockhound(['simulate', 'advisory', 'lodash', '<1', '--config', file]);
  expect(none.code).toBe(1);
  expect(none.out).toContain('reaches 0 targets.');
  const withoutRoutes = await lockhound(['simulate', 'advisory', 'lodash']);
  expect(withoutRoutes.out).toContain('No routes are configured (`notify`): nothing would be sent.');
  const quiet = join(folder, 'quiet.yaml');
  writeFileSync(quiet, 'policy: { rules: { vulnerability: { level: note } } }\n');
  const noted = await lockhound(['simulate', 'advisory', 'lodash', '--config', quiet]);
  expect(noted.out).toContain('The rule vulnerability has level note');
  const labelled = join(folder, 'labelled.yaml');
  writeFileSync(
    labelled,
    'policy: { byLabel: [{ labels: { team: web }, rules: { vulnerability: { level: note } } }] }\n',
  );
  const byLabel = await lockhound(['simulate', 'advisory', 'lodash', '--config', labelled]);
  expect(byLabel.out).toMatch(/shop {2}team=web\n.*to no route \(level note\)/);
  expect(byLabel.out).not.toContain('The rule vulnerability has level');
  await cli.fresh();
  expect((await lockhound(['simulate', 'advisory', 'lodash'])).note).toContain('no target is stored yet');
});
