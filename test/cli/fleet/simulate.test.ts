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
  expect(out).toBe(`severity  critical
level     alert
routes (2)
  route    mode    targets
  web      digest  1
  default  digest  1
targets (3)
  target   labels    packages                                      excluded                routes
  api                pkg:npm/lodash@4.17.20                                                default
  private                                                          pkg:npm/lodash@4.17.19
  shop     team=web  pkg:npm/lodash@3.0.0, pkg:npm/lodash@4.17.20                          web
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
  expect(none.out).toMatch(/targets +none\n/);
  const withoutRoutes = await lockhound(['simulate', 'advisory', 'lodash']);
  expect(withoutRoutes.out).toMatch(/routes +none\n/);
  const quiet = join(folder, 'quiet.yaml');
  writeFileSync(quiet, 'policy: { rules: { vulnerability: { level: note } } }\n');
  const noted = await lockhound(['simulate', 'advisory', 'lodash', '--config', quiet]);
  expect(noted.out).toMatch(/^severity.*\ncounts as.*\nlevel +note\n/);
  const labelled = join(folder, 'labelled.yaml');
  writeFileSync(
    labelled,
    'policy: { byLabel: [{ labels: { team: web }, rules: { vulnerability: { level: note } } }] }\n',
  );
  const byLabel = await lockhound(['simulate', 'advisory', 'lodash', '--config', labelled]);
  expect(byLabel.out).toMatch(/ {2}shop {5}team=web.* note\n/);
  expect(byLabel.out).toMatch(/^severity.*\ncounts as.*\nlevel +alert\n/);
  await cli.fresh();
  expect((await lockhound(['simulate', 'advisory', 'lodash'])).note).toContain('no target is stored yet');
});
