import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parseServicesSettings, type ServicesSettings, startServices } from '../../src/commands/services.ts';
import type { LocalServices } from '../../src/embedded/local-services.ts';
import { Secret } from '../../src/model/secret.ts';

const folder = mkdtempSync(join(tmpdir(), 'services-'));
const running: LocalServices[] = [];
afterEach(async () => {
  for (const services of running.splice(0)) await services.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const ANY: ServicesSettings = {
  insights: { port: 0 },
  webhooks: { port: 0 },
  receiver: { port: 0 },
  discovery: { port: 0 },
};

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function start(
  settings: string | undefined,
  given: ServicesSettings = ANY,
  permissions?: 'integrations_read'[],
): Promise<LocalServices> {
  const services = await startServices({
    ...(settings === undefined ? {} : { settings: write('services.yaml', settings) }),
    ...(permissions === undefined ? {} : { permissions }),
    given,
    apiKey: new Secret('default-api'),
    applicationKey: new Secret('default-application'),
  });
  running.push(services);
  return services;
}

const CONFIGURATION = '/api/v1/integration/webhooks/configuration';

async function create(services: LocalServices, apiKey: string, applicationKey: string, prefix = 'SVC') {
  const response = await fetch(`${services.webhooks.url}${CONFIGURATION}/webhooks`, {
    method: 'POST',
    headers: { [`${prefix}-API-KEY`]: apiKey, [`${prefix}-APPLICATION-KEY`]: applicationKey },
    body: JSON.stringify({ name: applicationKey, url: 'https://hooks.example/a' }),
  });
  return [response.status, await response.json()] as const;
}

describe('lockhound services', () => {
  it('requires the default key, which has the given permissions', async () => {
    const open = await start(undefined);
    expect(await create(open, 'default-api', 'default-application')).toMatchObject([201, {}]);
    expect(await create(open, 'default-api', 'another')).toEqual([403, { errors: ['Forbidden'] }]);
    const limited = await start(undefined, ANY, ['integrations_read']);
    expect(await create(limited, 'default-api', 'default-application')).toMatchObject([403, {}]);
  });

  it('reads a settings file; options take precedence', async () => {
    const text = `
insights: { pageSize: 2, faults: [{ kind: answer, status: 503, path: '/v3alpha/advisories/*' }] }
webhooks:
  headerPrefix: DD
  extraKeys: { org: { id: 1 } }
  keys:
    - { apiKey: org, applicationKey: admin }
    - { apiKey: org, applicationKey: reader, permissions: [integrations_read] }
`;
    const services = await start(text);
    expect(services.insights.pageSize).toBe(2);
    expect(await create(services, 'org', 'admin', 'DD')).toMatchObject([201, { org: { id: 1 } }]);
    expect(await create(services, 'org', 'reader', 'DD')).toMatchObject([403, {}]);
    expect(await create(services, 'org', 'admin')).toMatchObject([403, {}]);
    expect(await create(services, 'default-api', 'default-application', 'DD')).toMatchObject([403, {}]);
    const advisory = () => fetch(`${services.insights.url}/v3alpha/advisories/GHSA-xvch-5gv4-984h`);
    expect([(await advisory()).status, (await advisory()).status]).toEqual([503, 200]);

    const over = { ...ANY, insights: { port: 0, pageSize: 7 }, webhooks: { port: 0, headerPrefix: 'XY' } };
    const overlaid = await start(text, over);
    expect(overlaid.insights.pageSize).toBe(7);
    expect(await create(overlaid, 'org', 'admin', 'XY')).toMatchObject([201, {}]);
  });

  it('serves a folder of data in place of the bundled one', async () => {
    const line = { system: 'PYPI', name: 'made-up', default: '1.0.0', versions: [{ version: '1.0.0' }] };
    write('packages.ndjson', `${JSON.stringify(line)}\n`);
    const services = await start(undefined, { ...ANY, data: folder });
    const get = async (path: string) =>
      (await fetch(`${services.insights.url}/v3alpha/systems/${path}`)).status;
    expect(await get('PYPI/packages/made-up/versions/1.0.0')).toBe(200);
    expect(await get('NPM/packages/lodash')).toBe(404);
  });

  it('names the invalid file of the data and the place', async () => {
    write('packages.ndjson', '{"name": "a", "versions": []}\n{"name": "b"}\n');
    const message = expect.stringMatching(/packages\.ndjson:2 .*versions/s);
    const malformed = { code: 'data-set-malformed', message };
    await expect(start(undefined, { ...ANY, data: folder })).rejects.toMatchObject(malformed);
    const nowhere = { ...ANY, data: join(folder, 'nowhere') };
    await expect(start(undefined, nowhere)).rejects.toMatchObject({ code: 'data-set-missing' });
  });

  it.each([
    ['insights: { pageSize: 0 }', /pageSize/],
    ['insights: { pagesize: 5 }', /pagesize/],
    ['webhooks: { keys: [{ apiKey: a, applicationKey: b, permissions: [all] }] }', /permissions\[0\]/],
    ['webhooks: { headerPrefix: "D D" }', /headerPrefix/],
    ['receiver: { faults: [{ kind: answer }] }', /faults\[0\]\.status/],
    ['receiver: { faults: [{ kind: explode }] }', /faults\[0\]/],
    ['insights: [', /services\.yaml: /],
    [
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]',
      /alias/,
    ],
  ])('refuses %j', async (text, reason) => {
    const message = expect.stringMatching(reason);
    await expect(start(text)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:settings-invalid|config-syntax)$/),
      message,
    });
  });

  it('refuses a missing file', async () => {
    const given = { given: ANY, apiKey: new Secret('a'), applicationKey: new Secret('b') };
    const settings = join(folder, 'nowhere.yaml');
    const missing = { code: 'not-found', message: expect.stringContaining('nowhere.yaml') };
    await expect(startServices({ ...given, settings })).rejects.toMatchObject(missing);
    const device = startServices({ ...given, settings: '/dev/zero' });
    await expect(device).rejects.toMatchObject({ code: 'not-a-file' });
  });

  it('refuses data that is not a regular file', async () => {
    const odd = mkdtempSync(join(folder, 'odd-'));
    symlinkSync('/dev/zero', join(odd, 'samples.json'));
    const message = expect.stringContaining('is a device');
    const refused = start(undefined, { ...ANY, data: odd });
    await expect(refused).rejects.toMatchObject({ code: 'data-set-missing', message });
  });
});

it('docs/services.md shows settings that are valid', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs/services.md'), 'utf8');
  const examples = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, example = '']) => example);
  expect(examples).toHaveLength(1);
  for (const example of examples) {
    const settings = parseServicesSettings(example, 'docs/services.md');
    expect(settings).toMatchObject({ insights: { pageSize: 25 }, webhooks: { headerPrefix: 'DD' } });
  }
});
