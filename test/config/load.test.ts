import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configAsWritten, loadConfig } from '../../src/config/load.ts';
import { ECOSYSTEMS } from '../../src/model/lockfile/ecosystem.ts';
import { RULE_NAMES } from '../../src/policy/catalog.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(file, text);
  return file;
}

const NOTIFY = `
notify:
  platform:
    url: https://hooks.example
    apiKey: { env: API_KEY }
    applicationKey: { env: APP_KEY }
  webhook:
    url: https://receiver.example/alerts
  variables:
    TOKEN: { secret: { env: TOKEN } }
    TEAM: { value: platform }
`;

const routeThat = (match: string) => `routes: [{ name: a, match: { ${match} }, webhook: { preset: slack } }]`;

const no = (at: string, what: string, name: string, names: readonly string[]) =>
  `notify.routes.0.match.${at}: no ${what} is named "${name}"; there are ${names.join(', ')}`;

const KEYS = { API_KEY: 'the-api-key', APP_KEY: 'the-application-key', TOKEN: 'the-token' };

describe('loadConfig', () => {
  it('names the line or the variable of each fault', () => {
    const file = fileWith(
      [
        '# a comment',
        'insights:',
        '  recordTtl: soon',
        '  timeout: 5s',
        'credentials:',
        '  a: &a { hosts: [], secret: { env: A } }',
        'serve:',
        '  triggers:',
        '    - name: one',
        '      kind: no-such',
        'redsi: {}',
      ].join('\n'),
    );
    const environment = { LOCKHOUND_INSIGHTS_TIMEOUT: 'later', LOCKHOUND_REDIS_MASTER: 'm' };
    let message = '';
    try {
      loadConfig({ file, environment });
    } catch (error) {
      ({ message } = error as Error);
    }
    const [head, ...faults] = message.split('\n').map((line) => line.trim().replaceAll(file, 'FILE'));
    expect(head).toBe('FILE is not valid:');
    const places = faults.map((fault) => fault.split(': ').slice(0, 2).join(': '));
    expect(places).toEqual(
      expect.arrayContaining([
        'FILE:3: insights.recordTtl',
        'LOCKHOUND_INSIGHTS_TIMEOUT: insights.timeout',
        'FILE:6: credentials.a.hosts',
        'FILE:10: serve.triggers.0.kind',
        'FILE:11: (root)',
      ]),
    );
    expect(places.filter((place) => place.startsWith('LOCKHOUND_REDIS_MASTER: redis'))).not.toEqual([]);
  });

  it('has defaults for everything except alerts', () => {
    const { config, file } = loadConfig({ file: fileWith(''), environment: {} });
    expect(config.insights.url).toBe('https://api.deps.dev');
    expect(config.insights.recordTtl).toBe(6 * 3_600_000);
    expect(config.redis).toEqual({ prefix: '{lockhound}', shards: 1 });
    expect(config.notify).toBeUndefined();
    expect(file).toContain('.yaml');
  });

  it.each([
    ['routes: [{ name: default, webhook: { url: "https://a.example" } }]', /routes\.0\.name/],
    ['routes: [{ name: a.b, webhook: { url: "https://a.example" } }]', /routes\.0\.name/],
    ['routes: [{ name: a, webhook: {} }]', /routes\.0\.webhook\.url/],
    [
      'routes: [{ name: a, webhook: { url: "https://a.example", mode: periodic, every: 1s } }]',
      /every: at least/,
    ],
    [
      'routes: [{ name: a, webhook: { preset: slack } }, { name: a, webhook: { preset: slack } }]',
      /a different name for each route/,
    ],
    ['routes: []', /at least one receiver of alerts/],
    ['webhook: { preset: telegraph }', /notify\.webhook\.preset/],
    [routeThat('rules: [known-vulnerability]'), no('rules.0', 'rule', 'known-vulnerability', RULE_NAMES)],
    [routeThat('rules: vulnerabillity'), no('rules.0', 'rule', 'vulnerabillity', RULE_NAMES)],
    [routeThat('ecosystems: [npm, go]'), no('ecosystems.1', 'ecosystem', 'go', ECOSYSTEMS)],
    [routeThat('transitions: [opened, closed]'), /match\.transitions\.1: .*"opened"\|"worsened"/],
  ])('refuses %s', (line, message: string | RegExp) => {
    const file = fileWith(
      `notify:\n  platform: { url: "https://p.example", apiKey: { env: K }, applicationKey: { env: K } }\n  ${line}\n`,
    );
    expect(() => loadConfig({ file, environment: { K: 'k' } })).toThrow(message);
  });

  it('gives environment variables precedence over the file', () => {
    const { config } = loadConfig({
      file: fileWith('insights:\n  url: https://one.example\n  concurrency: 3\n'),
      environment: {
        LOCKHOUND_INSIGHTS_URL: 'https://two.example',
        LOCKHOUND_INSIGHTS_MIRRORS: 'a.example, b.example',
        LOCKHOUND_INSIGHTS_RECORD_TTL: '90s',
      },
    });
    expect(config.insights).toMatchObject({
      url: 'https://two.example',
      concurrency: 3,
      mirrors: ['a.example', 'b.example'],
      recordTtl: 90_000,
    });
  });

  it('reads secrets from their references, and prints none', () => {
    const loaded = loadConfig({ file: fileWith(NOTIFY), environment: KEYS });
    expect(loaded.secrets.apiKey?.reveal()).toBe('the-api-key');
    expect(loaded.secrets.variables.get('TOKEN')?.reveal()).toBe('the-token');
    expect(loaded.secrets.variables.has('TEAM')).toBe(false);
    expect(JSON.stringify(loaded)).not.toMatch(/the-(?:api-key|application-key|token)/);
  });

  it('reads a secret from a file without its final line break', () => {
    const secret = join(folder, 'key');
    writeFileSync(secret, 'from-a-file\n');
    const file = fileWith(NOTIFY.replace('{ env: API_KEY }', `{ file: ${secret} }`));
    expect(loadConfig({ file, environment: KEYS }).secrets.apiKey?.reveal()).toBe('from-a-file');
  });

  it('has no secret in an empty file', () => {
    const secret = join(folder, 'empty');
    writeFileSync(secret, '\n');
    const file = fileWith(NOTIFY.replace('{ env: API_KEY }', `{ file: ${secret} }`));
    const { secrets } = loadConfig({ file, environment: KEYS });
    expect(() => secrets.apiKey?.reveal()).toThrow(/^notify\.platform\.apiKey: .*is empty$/);
  });

  it.each([
    [
      'a schedule',
      'schedules: [{ name: a, target: b, every: 1d, source: { kind: git, repositories: ["https://x.example/a"], credentials: git } }]',
    ],
    ['an allowed source', 'serve: { sources: [{ url: "https://x.example/*", credentials: git }] }'],
  ])('refuses %s with credentials that it does not have', (_what, text) => {
    expect(() => loadConfig({ file: fileWith(text), environment: {} })).toThrow(
      '`credentials` has no entry "git"',
    );
  });

  it('accepts a variable that contains the secret itself', () => {
    const { secrets } = loadConfig({
      file: fileWith(NOTIFY.replace('{ env: API_KEY }', '{ file: /nowhere }')),
      environment: { ...KEYS, LOCKHOUND_NOTIFY_PLATFORM_API_KEY: 'direct' },
    });
    expect(secrets.apiKey?.reveal()).toBe('direct');
  });

  it('keeps the password of REDIS_URL out of the configuration', () => {
    const loaded = loadConfig({
      file: fileWith(''),
      environment: { REDIS_URL: 'redis://user:p%40ss@cache.example:6380/2' },
    });
    expect(loaded.config.redis.url).toBe('redis://user@cache.example:6380/2');
    expect(loaded.secrets.redisPassword?.reveal()).toBe('p@ss');
    expect(JSON.stringify(loaded)).not.toContain('p%40ss');
  });
});

describe('invalid configurations', () => {
  function failure(text: string, environment: Record<string, string> = {}) {
    try {
      loadConfig({ file: fileWith(text), environment });
    } catch (error) {
      return error as Error & { code: string };
    }
    throw new Error('was accepted');
  }

  it('refuses a digest interval that is longer than the retention of the last one', () => {
    const monthly = (retention: string) => {
      const webhook = '  webhook: { url: "https://a.example", mode: periodic, every: 30d }';
      const text = NOTIFY.replace(/ {2}webhook:\n.*\n/, `${webhook}\n`);
      return () =>
        loadConfig({ file: fileWith(`${text}worker: { retention: ${retention} }\n`), environment: KEYS });
    };
    expect(monthly('29d')).toThrow(/notify: a time between two digests \(`every`\) .*`worker.retention`/);
    expect(monthly('30d')().config.notify?.webhook?.every).toBe(30 * 86_400_000);
  });

  it('names every fault with its path', () => {
    const error = failure('insights: { url: nope, recordTtl: soon }\nworker: { lockDuration: 3 }\n');
    expect(error.code).toBe('config-invalid');
    expect(error.message).toMatch(/insights\.url: .*http/);
    expect(error.message).toMatch(/insights\.recordTtl: a duration such as/);
    expect(error.message).toMatch(/worker\.lockDuration/);
  });

  it.each<readonly [string, RegExp]>([
    ...['http://', 'a b', 'ftp://a.example', 'user:pw@a.example', 'https://a.example/?q=1'].map(
      (mirror) => [`insights: { mirrors: ['${mirror}'] }`, /insights\.mirrors\.0: a host/] as const,
    ),
    ['data: { osv: { ecosystems: [] } }', /data\.osv\.ecosystems: /],
    ['serve: { proxy: { addresses: [junk] } }', /serve\.proxy\.addresses\.0: .*junk/],
    ['serve: { proxy: { addresses: [10.0.0.0/99] } }', /serve\.proxy\.addresses\.0: .*0 to 32/],
    ['watch: { allowAddresses: [10.0.0.0/99] }', /watch\.allowAddresses\.0: .*0 to 32/],
    ['data: { allowAddresses: ["host:80"] }', /data\.allowAddresses\.0: .*without a port/],
    // A timer of more than 24.8 days ends at once.
    ['insights: { timeout: 25d }', /insights\.timeout: a duration from `1ms` to `24d`/],
    ['insights: { timeout: 0s }', /insights\.timeout: /],
    ['worker: { lockDuration: 0s }', /worker\.lockDuration: a duration from `1s` to `24d`/],
    ['worker: { lockDuration: 25d }', /worker\.lockDuration: /],
    ['worker: { shutdownGrace: 25d }', /worker\.shutdownGrace: /],
    ['worker: { recheck: { open: 25d } }', /worker\.recheck\.open: a duration from `100ms` to `24d`/],
    ['contract: { interval: 0s }', /contract\.interval: /],
    // Redis refuses to keep something for no time.
    ['worker: { retention: 0s }', /worker\.retention: a duration from `1ms` to `36500d`/],
    ['lockfiles: { retention: 0s }', /lockfiles\.retention: /],
    ['insights: { recordTtl: 0s }', /insights\.recordTtl: /],
    ['watch: { every: 36501d }', /watch\.every: at most `36500d`/],
    ['[]', /\(root\): Invalid input: expected object/],
    ['a text', /\(root\): Invalid input: expected object/],
  ])('refuses what a process could not work with: %s', (text, fault) => {
    expect(() => loadConfig({ file: fileWith(text), environment: {} })).toThrow(fault);
  });

  it('refuses limits of alerts that no timer can wait for', () => {
    for (const [setting, fault] of [
      ['timeout: 25d', /notify\.timeout: /],
      ['timeout: 0s', /notify\.timeout: /],
      ['recheck: 25d', /notify\.recheck: `0s`, or a duration from `100ms` to `24d`/],
      ['recheck: 1ms', /notify\.recheck: /],
      ['history: { retention: 0s }', /notify\.history\.retention: /],
      ['allowAddresses: [10.0.0.0/99]', /notify\.allowAddresses\.0: /],
    ] as const)
      expect(() => loadConfig({ file: fileWith(`${NOTIFY}  ${setting}`), environment: KEYS })).toThrow(fault);
  });

  it('accepts registries, hosts and ranges in all forms', () => {
    const file = fileWith(
      [
        'insights: { mirrors: [npm.acme.example, "127.0.0.1:4873", acme.example/npm/, "http://a.example/x"] }',
        'serve: { proxy: { addresses: [10.0.0.0/8, "fd00::/8", 127.0.0.1] } }',
        'watch: { allowAddresses: ["*.acme.example", "[::1]", 10.0.0.0/8], every: 0s }',
      ].join('\n'),
    );
    expect(loadConfig({ file, environment: {} }).config.insights.mirrors).toHaveLength(4);
  });

  it('refuses a file whose section is no section, although a variable sets a part of it', () => {
    const load = () =>
      loadConfig({
        file: fileWith('insights: [1]'),
        environment: { LOCKHOUND_INSIGHTS_URL: 'http://a.example' },
      });
    expect(load).toThrow(/insights: Invalid input: expected object, received array/);
  });

  it('shows no password of a URL', () => {
    const file = fileWith('insights: { url: "https://user:the-password@a.example/b" }');
    expect(JSON.stringify(configAsWritten({ file, environment: {} }))).toContain(
      'https://user:***@a.example/b',
    );
  });

  it('refuses unknown keys and unknown variables by name', () => {
    expect(failure('insigths: {}').message).toContain('insigths');
    expect(failure('', { LOCKHOUND_INSIGHT_URL: 'x' }).message).toContain(
      'LOCKHOUND_INSIGHT_URL is not a setting',
    );
  });

  it('refuses a literal secret, without repeating it', () => {
    const error = failure(NOTIFY.replace('{ env: API_KEY }', 'hunter2'), KEYS);
    expect(error.message).toMatch(/notify\.platform\.apiKey: secrets are given by reference/);
    expect(error.message).not.toContain('hunter2');
  });

  it('refuses a Redis password in the file', () => {
    const error = failure('redis: { url: "redis://:hunter2@cache.example" }');
    expect(error.message).toContain('redis.password');
    expect(error.message).not.toContain('hunter2');
  });

  it('requires a platform only when the platform calls the webhook', () => {
    const alone = 'notify: { webhook: { url: "https://a.example" } }';
    const { config, secrets } = loadConfig({ file: fileWith(alone), environment: {} });
    expect(config.notify?.platform).toBeUndefined();
    expect(secrets.apiKey).toBeUndefined();
    const event = 'notify: { webhook: { url: "https://a.example" }, delivery: platform-event }';
    expect(() => loadConfig({ file: fileWith(event), environment: {} })).toThrow(
      'notify.delivery: `platform-event` needs a `platform`',
    );
  });

  it('accepts all rules, ecosystems and transitions, as one value or a list', () => {
    const match = `{ rules: [${RULE_NAMES}], ecosystems: [${ECOSYSTEMS}], transitions: opened }`;
    const file = fileWith(
      `${NOTIFY}  routes: [{ name: a, match: ${match}, webhook: { url: "https://a.example" } }]\n`,
    );
    const { notify } = loadConfig({ file, environment: KEYS }).config;
    expect(notify?.routes[0]?.match).toEqual({
      rules: RULE_NAMES,
      ecosystems: ECOSYSTEMS,
      transitions: ['opened'],
    });
  });

  it('names a missing secret and the place of its reference', () => {
    const { secrets } = loadConfig({ file: fileWith(NOTIFY), environment: { ...KEYS, TOKEN: '' } });
    expect(secrets.apiKey?.reveal()).toBe('the-api-key');
    expect(() => secrets.variables.get('TOKEN')?.reveal()).toThrow(
      expect.objectContaining({
        code: 'secret-unavailable',
        message: 'notify.variables.TOKEN.secret: environment variable TOKEN is not set',
      }),
    );
  });

  it('requires either a site or a URL of the platform', () => {
    const both = NOTIFY.replace(
      'url: https://hooks.example',
      'url: https://hooks.example\n    site: datadoghq.eu',
    );
    expect(failure(both, KEYS).message).toContain('either the `url` or the `site`');
    expect(failure(NOTIFY.replace('url: https://hooks.example', 'headerPrefix: DD'), KEYS).message).toContain(
      'either the `url` or the `site`',
    );
  });

  it('names the file and line of bad YAML', () => {
    const error = failure('insights:\n  url: [unclosed\n');
    expect(error.code).toBe('config-syntax');
    expect(error.message).toMatch(/\.yaml: .*line 3/s);
  });

  it('reports a missing configuration file', () => {
    expect(() => loadConfig({ file: join(folder, 'absent.yaml'), environment: {} })).toThrow(/absent\.yaml/);
  });
});

describe('a configuration file with nested YAML aliases', () => {
  it.each([
    [
      'aliases of aliases',
      `a: &a [${'x, '.repeat(9)}x]\n${'bcdefgh'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]}, `.repeat(9)}*${'abcdefg'[index]}]`)
        .join('\n')}\n`,
    ],
    ['brackets in brackets', '['.repeat(20_000)],
  ])('%s: is refused with its name and without a stack trace', (_, text) => {
    const file = fileWith(text);
    let message = '';
    try {
      loadConfig({ file, environment: {} });
    } catch (error) {
      expect(error).toMatchObject({ code: 'config-syntax' });
      message = (error as Error).message;
    }
    expect(message).toContain(file);
    expect(message.split('\n').length).toBeLessThanOrEqual(5);
    expect(message).not.toMatch(/ at .*\(/);
  });
});

describe('VEX documents', () => {
  it('suppress what they say, for every target', () => {
    const path = join(folder, 'shop.openvex.json');
    writeFileSync(
      path,
      JSON.stringify({
        '@context': 'https://openvex.dev/ns/v0.2.0',
        '@id': 'https://shop.example/vex',
        author: 'web',
        timestamp: '2026-01-01T00:00:00Z',
        version: 1,
        statements: [
          {
            vulnerability: { name: 'CVE-2026-1' },
            products: [{ '@id': 'pkg:npm/ms@2.1.3' }],
            status: 'not_affected',
            justification: 'vulnerable_code_not_present',
          },
        ],
      }),
    );
    const load = (vex: string) =>
      loadConfig({ file: fileWith(`vex: [${JSON.stringify(vex)}]`), environment: {} });
    expect(load(path).vex).toMatchObject([{ source: 'vex', advisories: ['CVE-2026-1'] }]);
    expect(() => load(join(folder, 'absent.json'))).toThrow(/vex: .*absent\.json/);
    expect(() => load(fileWith('redis: {}'))).toThrow(/is not valid JSON/);
  });
});

describe('the storage of old blocks of ledgers', () => {
  const keys = 'accessKeyId: { env: ID }, secretAccessKey: { env: KEY }';
  const load = (storage: string, environment = {}) =>
    loadConfig({ file: fileWith(`ledger: { storage: { ${storage} } }`), environment });

  it('is a folder or a bucket, whose credentials are secrets', () => {
    expect(load('folder: /srv/ledgers').config.ledger.storage).toEqual({
      after: 30 * 86_400_000,
      folder: '/srv/ledgers',
    });
    const { config, secrets } = load(
      `after: 7d, s3: { endpoint: "https://s3.example/x", bucket: abc, ${keys} }`,
      {
        ID: 'the-id',
        KEY: 'the-key',
      },
    );
    expect(config.ledger.storage?.s3).toMatchObject({ region: 'us-east-1', bucket: 'abc', prefix: '' });
    expect(secrets.ledgerAccessKeyId?.reveal()).toBe('the-id');
    expect(secrets.ledgerSecretAccessKey?.reveal()).toBe('the-key');
    expect(JSON.stringify({ config, secrets })).not.toContain('the-');
  });

  it.each([
    ['after: 1d', 'name either a `folder` or a bucket'],
    [
      `folder: a, s3: { endpoint: "https://s3.example", bucket: abc, ${keys} }`,
      'name either a `folder` or a bucket',
    ],
    [`s3: { endpoint: "https://user:word@s3.example", bucket: abc, ${keys} }`, 'a URL without credentials'],
    [`s3: { endpoint: "s3.example", bucket: abc, ${keys} }`, 'an http or https URL'],
    [`s3: { endpoint: "ftp://s3.example", bucket: abc, ${keys} }`, 'an http or https URL'],
    [`s3: { endpoint: "https://s3.example", bucket: A/b, ${keys} }`, 'the name of a bucket'],
    [
      `s3: { endpoint: "https://s3.example", bucket: abc, prefix: "../", ${keys} }`,
      'a path that ends with `/`',
    ],
    [
      `s3: { endpoint: "https://s3.example", bucket: abc, prefix: "a", ${keys} }`,
      'a path that ends with `/`',
    ],
    [
      's3: { endpoint: "https://s3.example", bucket: abc, accessKeyId: AKIA }',
      'secrets are given by reference',
    ],
  ])('refuses %s', (storage, message) => {
    expect(() => load(storage)).toThrow(message);
  });
});

describe('the configuration as written', () => {
  it('shows durations as written in the file, the environment or the defaults', () => {
    const file = fileWith(
      [
        'worker: { retention: 240h }',
        'notify:',
        '  webhook: { url: "https://a.example", every: 90m, mode: periodic }',
        '  routes: [{ name: weekly, webhook: { url: "https://b.example", every: 168h } }]',
      ].join('\n'),
    );
    const environment = { LOCKHOUND_INSIGHTS_TIMEOUT: '45s' };
    expect(configAsWritten({ file, environment })).toMatchObject({
      insights: { timeout: '45s', recordTtl: '6h', concurrency: 32 },
      lockfiles: { retention: '14d', maxBytes: 104_857_600 },
      worker: { retention: '240h', recheck: { open: '1m' } },
      notify: {
        webhook: { every: '90m' },
        routes: [{ name: 'weekly', webhook: { every: '168h' } }],
        retries: { firstDelay: '2s' },
      },
    });
  });
});
