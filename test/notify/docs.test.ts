import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { generateDocs } from '../../scripts/generate-docs.ts';
import { configuredWebhooks, periodicRoutes, routingOf } from '../../src/compose/notify/routing.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Secret } from '../../src/model/secret.ts';
import { alertOf } from '../../src/notify/alert/alert.ts';
import { PRESETS } from '../../src/notify/presets/catalog.ts';
import { renderRequest } from '../../src/notify/rendering/render-request.ts';
import { ALERT_VARIABLES, valuesOf } from '../../src/notify/rendering/values.ts';
import type { VariableValue } from '../../src/notify/webhooks/definition.ts';
import { webhookOf } from '../../src/notify/webhooks/preset-webhook.ts';
import { validateDesired } from '../../src/notify/webhooks/validate.ts';
import { RULE_NAMES } from '../../src/policy/catalog.ts';
import { notificationOf } from './notification.ts';
import { RECEIVERS } from './receiver-schemas.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const PAGE = readFileSync(join(DOCS, 'webhooks.md'), 'utf8');
const REFERENCE = readFileSync(join(DOCS, 'reference/webhooks.md'), 'utf8');
const KEY = '0123456789abcdef0123456789abcdef';
const folder = mkdtempSync(join(tmpdir(), 'docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('docs/webhooks.md', () => {
  it('has a reference that is generated, like the other pages (npm run generate)', async () => {
    const pages = await generateDocs();
    expect(pages.map(({ path }) => path)).toContain('docs/reference/webhooks.md');
    for (const { path, content } of pages) {
      expect(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).toBe(content);
    }
    for (const { name } of ALERT_VARIABLES) expect(REFERENCE).toContain(`\`$${name}\``);
  });

  it('shows a generic event of a rule that exists, with a fingerprint as findings have them', () => {
    const [, text = ''] = /```json\n([\s\S]*?)```/.exec(REFERENCE) ?? [];
    const { changes } = JSON.parse(text);
    expect(changes).toHaveLength(1);
    expect(RULE_NAMES).toContain(changes[0].rule);
    expect(changes[0].fingerprint).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each(PRESETS)('has an example of $name that works unchanged', ({ name }) => {
    const loaded = configOf(exampleOf(name));
    const { webhook, variables } = loaded.config.notify ?? {};
    if (webhook === undefined || variables === undefined) throw new Error('an example has a webhook');
    const values = Object.entries(variables).map(([variable]): [string, VariableValue] => [
      variable,
      { secret: loaded.secrets.variables.get(variable) ?? new Secret('') },
    ]);
    const desired = {
      webhooks: [webhookOf({ ...webhook, route: 'default', name: 'lockhound' })],
      variables: Object.fromEntries(values),
    };
    validateDesired(desired);
    const [made] = desired.webhooks;
    if (made === undefined) throw new Error('there is one');
    const { payload = null, encodeAs = 'json', headers = {} } = made;
    const notification = { ...notificationOf(), mode: 'change' as const };
    const request = renderRequest(
      { ...made, payload, encodeAs, headers },
      valuesOf(alertOf(notification), desired.variables),
    );
    expect(RECEIVERS[name]?.safeParse(JSON.parse(request.body)).error?.issues ?? []).toEqual([]);
    expect(request.url).toMatch(/^https:/);
  });

  it('has an example without a platform that works unchanged', () => {
    expect(configOf(exampleOf('slack'), '').config.notify).toMatchObject({ webhook: { preset: 'slack' } });
  });

  it('has an example of routes that works unchanged', () => {
    const [, text = ''] = /```yaml routes\n([\s\S]*?)```/.exec(PAGE) ?? [];
    const { notify } = configOf(text).config;
    if (notify === undefined) throw new Error('there is one');
    expect(routingOf(notify)).toMatchObject({
      take: 'all',
      rules: [
        { name: 'pager', mode: 'change', match: { minSeverity: 'critical', labels: { tier: ['1', '2'] } } },
        { name: 'payments', mode: 'digest', match: { minSeverity: 'low', ecosystems: ['npm', 'pypi'] } },
        { name: 'weekly', mode: 'periodic', match: { rules: ['deprecated'] } },
        { name: 'default', mode: 'digest', rest: true, match: { minSeverity: 'low' } },
      ],
    });
    expect(configuredWebhooks(notify).map(({ name }) => name)).toEqual([
      'lockhound-pager',
      'lockhound-payments',
      'lockhound-weekly',
      'lockhound',
    ]);
    expect([...periodicRoutes(notify)]).toEqual([['weekly', 7 * 86_400_000]]);
  });
});

function exampleOf(name: string): string {
  const [, text] = new RegExp(`\`\`\`yaml example=${name}\\n([\\s\\S]*?)\`\`\``).exec(PAGE + REFERENCE) ?? [];
  if (text === undefined) throw new Error(`no example of ${name}`);
  return text;
}

const PLATFORM = '  platform: { url: "https://p.example", apiKey: { env: K }, applicationKey: { env: K } }\n';

/** The example as the `notify` part of a configuration, its secrets in place. */
function configOf(example: string, platform = PLATFORM) {
  const secret = join(folder, 'secret');
  writeFileSync(secret, example.includes('_URL') ? 'https://receiver.example/x' : KEY);
  const lines = example.replaceAll(/file: [^ }]+/g, `file: ${secret}`).split('\n');
  const file = join(folder, 'lockhound.yaml');
  const head = `notify:\n${platform}`;
  writeFileSync(file, head + lines.map((line) => `  ${line}\n`).join(''));
  const named = [...example.matchAll(/env: (\w+)/g)].map(([, name = '']) => [
    name,
    readFileSync(secret, 'utf8'),
  ]);
  return loadConfig({ file, environment: { K: 'key', ...Object.fromEntries(named) } });
}

describe('docs/configuration.md', () => {
  it('has a configuration that works unchanged', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
    const [, text = ''] = /```yaml\n(redis:[\s\S]*?)```/.exec(page) ?? [];
    const file = join(folder, 'page.yaml');
    writeFileSync(file, text);
    const names = [...text.matchAll(/env: (\w+)/g)].map(([, name = '']) => [name, KEY]);
    const { config, secrets } = loadConfig({ file, environment: Object.fromEntries(names) });
    if (config.notify === undefined) throw new Error('it has webhooks');
    validateDesired({
      webhooks: configuredWebhooks(config.notify).map(({ route, name, webhook }) =>
        webhookOf({ ...webhook, route, name }),
      ),
      variables: Object.fromEntries([...secrets.variables].map(([name, secret]) => [name, { secret }])),
    });
  });
});
