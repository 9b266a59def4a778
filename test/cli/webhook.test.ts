import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalServices, startLocalServices } from '../../src/embedded/local-services.ts';
import { startRedis, type TestRedis } from '../redis.ts';
import { lockhound as runLockhound } from './lockhound.ts';

const SECRETS = { api: 'cli-api-key-1', application: 'cli-application-key-2', token: 'cli-alert-token-3' };
const PLATFORM_HEADERS = { 'SVC-API-KEY': SECRETS.api, 'SVC-APPLICATION-KEY': SECRETS.application };
const folder = mkdtempSync(join(tmpdir(), 'webhook-cli-'));
const output: string[] = [];
let services: LocalServices;
let valkey: TestRedis;

beforeAll(async () => {
  valkey = await startRedis();
  const keys = [{ apiKey: SECRETS.api, applicationKey: SECRETS.application }];
  services = await startLocalServices({ webhooks: { keys } });
  for (const [name, value] of Object.entries(SECRETS)) writeFileSync(join(folder, name), `${value}\n`);
});

afterAll(async () => {
  await services.close();
  await valkey.close();
  rmSync(folder, { recursive: true });
});

function configFile(prefix: string, webhook: object = {}, others: object = {}): string {
  const file = join(folder, `${prefix}.yaml`);
  const secret = (name: string) => ({ file: join(folder, name) });
  const config = {
    redis: { url: valkey.url, prefix: `{${prefix}}` },
    notify: {
      platform: { url: services.webhooks.url, apiKey: secret('api'), applicationKey: secret('application') },
      webhook: {
        name: prefix,
        url: `${services.receiver.url}/${prefix}`,
        headers: { authorization: 'Bearer $TOKEN' },
        ...webhook,
      },
      variables: { TOKEN: { secret: secret('token') }, TEAM: { value: 'blue' } },
      allowAddresses: ['127.0.0.1'],
      ...others,
    },
  };
  // YAML reads JSON.
  writeFileSync(file, JSON.stringify(config));
  return file;
}

async function lockhound(args: readonly string[], confirm?: (question: string) => Promise<boolean>) {
  const written = await runLockhound(args, '', confirm);
  output.push(written.out, written.note);
  return written;
}

const webhook = (command: string, file: string, ...more: readonly string[]) =>
  lockhound(['webhook', command, ...more, '--config', file]);

describe('lockhound webhook', () => {
  it('plans and applies changes; a second run changes nothing', async () => {
    const file = configFile('apply');
    const planned = await webhook('plan', file);
    expect(planned.code).toBe(1);
    expect(planned.out).toContain(
      '+ variable TOKEN: create\n    value: (secret, changed)\n    is_secret: true\n',
    );
    expect(planned.out).toContain(`+ webhook apply: create\n    url: ${services.receiver.url}/apply\n`);
    expect(planned.out).toContain('3 to create, 0 to change, 0 to delete, 0 to leave.');
    expect(services.webhooks.snapshot().webhooks).toEqual([]);

    const applied = await webhook('apply', file, '--json');
    expect(applied.code).toBe(0);
    expect(JSON.parse(applied.out).changes.map(({ action }: { action: string }) => action)).toEqual([
      'created',
      'created',
      'created',
    ]);
    const again = await webhook('plan', file);
    expect(again).toMatchObject({ code: 0, note: '' });
    expect(again.out).toContain('0 to create, 0 to change, 0 to delete, 3 to leave.');
    expect((await webhook('show', file)).out).toContain(`${services.receiver.url}/apply`);
  });

  it('renames, and shows each changed field', async () => {
    const file = configFile('rename');
    await webhook('apply', file);
    configFile('rename', { name: 'renamed', encodeAs: 'form' });
    const { out, code } = await webhook('plan', file);
    expect(code).toBe(1);
    expect(out).toContain(
      '~ webhook renamed: change\n    name: rename → renamed\n    encode_as: json → form\n',
    );
    await webhook('apply', file);
    const names = services.webhooks.snapshot().webhooks.map(({ name }) => name);
    expect(names).toContain('renamed');
    expect(names).not.toContain('rename');
  });

  it('sends an alert that is marked as a test, and prints the answer', async () => {
    const file = configFile('test');
    const early = await webhook('test', file);
    expect(early).toMatchObject({ code: 2, note: expect.stringContaining('[not-provisioned]') });
    await webhook('apply', file);
    const { code, out } = await webhook('test', file);
    expect(code).toBe(0);
    expect(out).toMatch(/^route +default\nid +msg_test_\S+\n[\s\S]*delivered +yes\n/);
    const got = services.receiver.deliveries().find(({ path }) => path === '/test');
    expect(got?.headers['authorization']).toBe(`Bearer ${SECRETS.token}`);
    expect(JSON.parse(got?.body ?? '')).toMatchObject({
      test: true,
      summary: expect.stringContaining('[test]'),
    });

    services.receiver.faults.inject({ kind: 'answer', status: 422, body: `no ${SECRETS.token}` });
    const refused = await webhook('test', file, '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ delivered: false, status: 422, answer: 'no (secret)' });
    const unknown = await webhook('test', file, '--route', 'nowhere');
    expect(unknown).toMatchObject({ code: 2, note: expect.stringContaining('choose one of default') });
  });

  it.each(['restore', 'keep'])(
    'with drift: %s sends a test to a changed URL only when it is kept',
    async (drift) => {
      const name = `changed-${drift}`;
      const file = configFile(name, {}, { drift });
      await webhook('apply', file);
      const url = `${services.receiver.url}/stolen-${drift}`;
      const answer = await fetch(
        `${services.webhooks.url}/api/v1/integration/webhooks/configuration/webhooks/${name}`,
        { method: 'PUT', headers: PLATFORM_HEADERS, body: JSON.stringify({ url }) },
      );
      expect(answer.status).toBe(200);
      const { code, note, out } = await webhook('test', file);
      const stolen = services.receiver.deliveries().filter(({ path }) => path === `/stolen-${drift}`);
      if (drift === 'keep') {
        expect([code, stolen.length]).toEqual([0, 1]);
        // The line is broken to the width of the terminal.
        expect(out.replaceAll(/\s+/g, ' ')).toContain(
          `The webhook ${name} was changed on the platform (url): its alerts go to ${url}. `,
        );
      } else {
        expect([code, stolen]).toEqual([2, []]);
        expect(note).toContain(`webhook ${name} was changed on the platform (url): nothing is sent`);
      }
    },
  );

  it('rotates a secret', async () => {
    const file = configFile('rotate');
    await webhook('apply', file);
    const { code, out } = await webhook('rotate', file, 'TOKEN');
    expect(code).toBe(0);
    expect(out).toContain('~ variable TOKEN: updated\n    value: (secret, changed)\n');
    expect((await webhook('rotate', file, 'TEAM')).code).toBe(2);
  });

  it('deletes after confirmation', async () => {
    const file = configFile('destroy');
    const there = () => services.webhooks.snapshot().webhooks.some(({ name }) => name === 'destroy');
    await webhook('apply', file);
    expect(await webhook('destroy', file)).toMatchObject({ code: 2, note: expect.stringContaining('--yes') });
    const declined = await lockhound(['webhook', 'destroy', '--config', file], async () => false);
    expect(declined).toMatchObject({ code: 2, note: expect.stringContaining('Nothing was deleted.') });
    expect(there()).toBe(true);
    const confirmed = await lockhound(['webhook', 'destroy', '--config', file], async () => true);
    expect(confirmed.out).toContain('- webhook destroy: deleted\n');
    expect(there()).toBe(false);
    expect((await webhook('destroy', file, '--yes')).out).toContain('0 deleted');
  });

  it('warns of a secret in the URL, and of a missing store', async () => {
    const url = `${services.receiver.url}/?t=$TOKEN`;
    expect((await webhook('plan', configFile('warned', { url }))).note).toContain('holds the secret TOKEN');
  });

  describe('without a platform', () => {
    const alone = { platform: undefined };
    const nothing = 'Nothing is provisioned: `notify.platform` is not configured';

    it.each([
      ['plan', []],
      ['apply', []],
      ['destroy', []],
    ] as const)('%s says that nothing is provisioned, and asks nothing', async (command, more) => {
      const file = configFile('alone', {}, alone);
      const { code, out } = await webhook(command, file, ...more);
      expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^${nothing}.*\\n$`))]);
      const json = JSON.parse((await webhook(command, file, '--json')).out);
      expect(json).toEqual({ changes: [], unprovisioned: expect.stringContaining(nothing) });
    });

    it('shows the configuration, explains how to rotate a secret, and sends a test alert', async () => {
      const file = configFile('alone', {}, alone);
      const { out } = await webhook('show', file);
      expect(out.replaceAll(/\s+/g, ' ')).toContain(nothing);
      expect(out).toContain(`${services.receiver.url}/alone`);
      expect(out).toContain('{"authorization":"Bearer $TOKEN"}');
      expect(out).toMatch(/ TOKEN .*\(secret\)\n/);
      expect(out).toMatch(/ TEAM .* blue\n/);
      const rotated = await webhook('rotate', file, 'TOKEN');
      expect(rotated).toMatchObject({ code: 2, note: expect.stringContaining('Restart the workers') });
      const tested = await webhook('test', file);
      expect(tested).toMatchObject({ code: 0, out: expect.stringMatching(/delivered +yes\n/) });
      const got = services.receiver.deliveries().find(({ path }) => path === '/alone');
      expect(got?.headers['authorization']).toBe(`Bearer ${SECRETS.token}`);
      expect(services.webhooks.snapshot().webhooks.map(({ name }) => name)).not.toContain('alone');
    });

    it('checks the definitions before anything is sent', async () => {
      const file = configFile('wrong', { payload: '{"text": "$NOTHING"}' }, alone);
      for (const command of ['plan', 'apply', 'test']) {
        const { code, note } = await webhook(command, file);
        expect([code, note]).toEqual([2, expect.stringContaining('$NOTHING, which is not defined')]);
      }
    });
  });

  it('names the missing setting', async () => {
    const file = join(folder, 'none.yaml');
    writeFileSync(file, '{}');
    const { code, note } = await webhook('plan', file);
    expect(code).toBe(2);
    expect(note).toContain('no webhook is configured');
  });

  it('printed no secret in all of this', () => {
    expect(output.length).toBeGreaterThan(20);
    const text = output.join('\n');
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
  });
});
