import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Notification } from '../../src/model/alert/notification.ts';
import { Secret } from '../../src/model/secret.ts';
import { alertOf } from '../../src/notify/alert/alert.ts';
import { testNotification } from '../../src/notify/alert/test-notification.ts';
import { PRESETS } from '../../src/notify/presets/catalog.ts';
import { renderRequest } from '../../src/notify/rendering/render-request.ts';
import { type Values, valuesOf } from '../../src/notify/rendering/values.ts';
import type { VariableValue, WebhookDefinition } from '../../src/notify/webhooks/definition.ts';
import { presetNamed, type WebhookChoice, webhookOf } from '../../src/notify/webhooks/preset-webhook.ts';
import { validateDesired, warningsOf } from '../../src/notify/webhooks/validate.ts';
import { anyText } from '../any-text.ts';
import { changeOf, notificationOf } from './notification.ts';
import { RECEIVERS } from './receiver-schemas.ts';

const KEY = 'quiet-key-0123456789abcdef012345';
/** The secret of each preset: a key, or a URL with the key where the receiver's whole address is secret. */
const VARIABLES: Record<string, VariableValue> = Object.fromEntries(
  PRESETS.flatMap(({ secret, url }) => {
    if (secret === undefined) return [];
    const isAddress = url === `$${secret.name}`;
    return [[secret.name, { secret: new Secret(isAddress ? `https://hooks.example/${KEY}?sig=1` : KEY) }]];
  }),
);

function choice(preset: string, more: Partial<WebhookChoice> = {}): WebhookChoice {
  const needsUrl = presetNamed(preset).url === undefined;
  return {
    route: 'default',
    name: 'hook',
    preset,
    ...(needsUrl ? { url: 'https://receiver.example/x' } : {}),
    ...more,
  };
}

function definitionOf(preset: string, more: Partial<WebhookChoice> = {}): WebhookDefinition {
  const { name, url, headers = {}, payload = null, encodeAs = 'json' } = webhookOf(choice(preset, more));
  return { name, url, headers, payload, encodeAs };
}

function render(preset: string, notification: Notification) {
  return renderRequest(definitionOf(preset), valuesOf(alertOf(notification), VARIABLES));
}

const bodyOf = (preset: string, notification: Notification) => JSON.parse(render(preset, notification).body);

const many = (count: number, title = 'Prototype pollution') =>
  notificationOf(Array.from({ length: count }, (_, index) => changeOf(`package-${index}`, title)));

/** No change, one, thousands and a test; made once for all presets. */
const ofSizes = once(() => {
  const link = `https://ci.example/${'x'.repeat(1_900)}`;
  const notifications = [
    notificationOf([]),
    notificationOf(),
    { ...many(1), mode: 'change' as const },
    { ...many(1, 'x'.repeat(30_000)), mode: 'change' as const },
    many(5_000),
    { ...many(5_000, '<&>😀'.repeat(400)), link },
    testNotification({
      route: 'default',
      mode: 'change',
      id: 'msg_1',
      date: '2026-11-21T03:04:05Z',
      transition: 'opened',
    }),
  ];
  return notifications.map((notification) => valuesOf(alertOf(notification), VARIABLES));
});

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

describe.each(PRESETS)('$name', ({ name, secret }) => {
  it('is valid with its variables', () => {
    const webhook = webhookOf(choice(name));
    validateDesired({ webhooks: [webhook], variables: VARIABLES });
    if (secret === undefined) return;
    expect(() => validateDesired({ webhooks: [webhook], variables: {} })).toThrow(
      `$${secret.name}, which is not defined`,
    );
    const other = webhookOf(choice(name, { secretVariable: 'OTHER' }));
    expect(JSON.stringify(other)).not.toContain(secret.name);
    validateDesired({
      webhooks: [other],
      variables: { OTHER: { secret: new Secret('https://x.example/') } },
    });
  });

  it('stays within what the receiver accepts, for no change, one, thousands and a test', () => {
    for (const values of ofSizes()) {
      const read = RECEIVERS[name]?.safeParse(JSON.parse(renderRequest(definitionOf(name), values).body));
      expect(read?.error?.issues ?? []).toEqual([]);
      expect(read?.success).toBe(true);
    }
  });
});

it('each preset has the structure of its template, for any names and titles', () => {
  fc.assert(
    fc.property(notifications, (notification) => {
      // Made once for all presets: making them takes longer than rendering.
      const values = valuesOf(alertOf(notification), VARIABLES);
      for (const { name, payload, secret } of PRESETS) {
        const body = JSON.parse(renderRequest(definitionOf(name), values).body);
        expect(body, name).toEqual(intended(definitionOf(name).payload ?? '', values));
        expect(RECEIVERS[name]?.safeParse(body).error?.issues ?? [], name).toEqual([]);
        const secrets = JSON.stringify(body).split(KEY).length - 1;
        expect(secrets, name).toBe(secret !== undefined && payload.includes(`$${secret.name}`) ? 1 : 0);
      }
    }),
    // Without shrinking, which is too slow for texts of this length.
    { numRuns: 75, endOnFailure: true },
  );
});

const nasty = fc.constantFrom(
  '"',
  '\\',
  '$',
  '{',
  '}',
  ',',
  ':',
  '\n',
  '\0',
  '<',
  '&',
  '|',
  '*',
  '\ud800',
  '😀',
  'a',
);
const oddText = fc.oneof(
  fc.string({ unit: nasty }),
  anyText(),
  fc.constantFrom(
    '"},"x":"$PAGERDUTY_ROUTING_KEY',
    '$CHANGES_JSON',
    '<!channel>',
    '](https://evil.example)',
    '',
  ),
  fc.string({ unit: nasty, minLength: 1_000, maxLength: 4_000 }),
);

const notifications: fc.Arbitrary<Notification> = fc
  .record({
    changes: fc.array(
      fc.record({
        name: oddText,
        title: oddText,
        transition: fc.constantFrom('opened' as const, 'worsened' as const, 'resolved' as const),
        url: fc.oneof(oddText, fc.webUrl()),
        target: fc.option(oddText, { nil: undefined }),
      }),
      { maxLength: 12 },
    ),
    mode: fc.constantFrom('digest' as const, 'change' as const, 'periodic' as const),
    id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    link: fc.option(fc.oneof(fc.webUrl(), oddText), { nil: undefined }),
  })
  .map(({ changes, mode, id, link }) => ({
    ...notificationOf(
      changes.map(({ name, title, transition, url, target }) => {
        const change = changeOf(name, title, transition);
        const advisory = { id: name || 'GHSA', aliases: [title], title, url };
        return { ...change, finding: { ...change.finding, advisory }, ...(target ? { target } : {}) };
      }),
    ),
    mode,
    target: { id, labels: { team: id } },
    ...(link === undefined ? {} : { link }),
  }));

/** The expected body, computed in another order: parsed first, then filled in. */
function intended(template: string, values: Values): unknown {
  const marked = template.replace(/"(?:[^"\\]|\\.)*"|\$[A-Z0-9_]+/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(`\u0001${token.slice(1)}`),
  );
  const fill = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(fill);
    if (typeof node === 'object' && node !== null) {
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, fill(value)]));
    }
    if (typeof node !== 'string') return node;
    if (node.startsWith('\u0001')) return JSON.parse(values.get(node.slice(1))?.json ?? 'null');
    return node.replace(/\$([A-Z0-9_]+)/g, (_all, variable) => values.get(variable)?.text ?? `?${variable}`);
  };
  return fill(JSON.parse(marked));
}

describe('changes left out', () => {
  it.each([
    ['slack', /_and (\d+) more changes_: <https:\/\/ci\.example\/1\|details>/],
    ['microsoft-teams', /… and (\d+) more changes: https:\/\/ci\.example\/1/],
    ['opsgenie', /and (\d+) more changes: https:\/\/ci\.example\/1/],
    ['opsgenie-close', /and (\d+) more changes: https:\/\/ci\.example\/1/],
    ['pagerduty', /"left_out":(\d+)/],
    ['github-repository-dispatch', /"more":\{"leftOut":(\d+),"link":"https:\/\/ci\.example\/1"\}/],
  ] as const)('%s: are counted, with a link', (name, pattern) => {
    const { body } = render(name, { ...many(5_000), link: 'https://ci.example/1' });
    const leftOut = Number(pattern.exec(body)?.[1]);
    const shown = new Set(body.match(/package-\d+/g)).size;
    expect(shown).toBeGreaterThan(10);
    expect(leftOut + shown).toBe(5_000);
  });
});

describe('slack', () => {
  it('escapes mentions and links only valid URLs', () => {
    const change = changeOf('a', '<!channel> & <https://evil.example|click>');
    const { advisory } = change.finding;
    const finding = {
      ...change.finding,
      ...(advisory ? { advisory: { ...advisory, url: 'javascript:alert(1)' } } : {}),
    };
    const { blocks } = bodyOf('slack', notificationOf([{ ...change, finding }]));
    expect(blocks[1].text.text).toBe(
      '*a@1.2.3* · package-lock.json:7\n• *opened* high: &lt;!channel&gt; &amp; &lt;https://evil.example|click&gt; GHSA-aaaa-bbbb-cccc',
    );
  });

  it.each([
    ['short titles', 'Prototype pollution', '@scope/web'],
    ['long titles', '<&>'.repeat(60), 'web'],
    ['mentions', '@a'.repeat(200), '@'.repeat(200)],
  ])('has a text of whole lines that counts the changes left out: %s', (_what, title, id) => {
    const { text } = bodyOf('slack', { ...many(5_000, title), target: { id, labels: {} } });
    expect(text.length).toBeLessThanOrEqual(3_000);
    const shown = new Set(text.match(/package-\d+/g)).size;
    expect(shown).toBeGreaterThan(0);
    expect(text.endsWith(`\nand ${5_000 - shown} more changes`)).toBe(true);
    expect(text).not.toMatch(/&(?!(?:amp|lt|gt);)/);
  });

  it('is sent to the secret URL', () => {
    expect(render('slack', notificationOf()).url).toBe(`https://hooks.example/${KEY}?sig=1`);
    expect(warningsOf({ webhooks: [webhookOf(choice('slack'))], variables: VARIABLES })).toHaveLength(1);
  });
});

describe('pagerduty', () => {
  it('resolves with the key that triggered', () => {
    const alert = (transition: 'opened' | 'worsened' | 'resolved') =>
      bodyOf('pagerduty', { ...notificationOf([changeOf('a', 'Title', transition)]), mode: 'change' });
    expect(alert('opened')).toMatchObject({ event_action: 'trigger', payload: { severity: 'error' } });
    expect(alert('resolved')).toMatchObject({ event_action: 'resolve' });
    expect(
      new Set([alert('opened'), alert('worsened'), alert('resolved')].map((one) => one.dedup_key)).size,
    ).toBe(1);
  });
});

describe('opsgenie', () => {
  it('closes by the alias of the created alert', () => {
    const notification = { ...notificationOf([changeOf('a', 'Title', 'resolved')]), mode: 'change' as const };
    const { alias } = bodyOf('opsgenie', notification);
    const { url, headers } = render('opsgenie-close', notification);
    expect(url).toBe(`https://api.opsgenie.com/v2/alerts/${alias}/close?identifierType=alias`);
    expect(headers['authorization']).toBe(`GenieKey ${KEY}`);
    expect(presetNamed('opsgenie').transitions).not.toContain('resolved');
    expect(presetNamed('opsgenie-close').transitions).toEqual(['resolved']);
  });
});

describe('github-repository-dispatch', () => {
  it('needs a URL, and sends the required headers', () => {
    expect(() => webhookOf({ route: 'a', name: 'a', preset: 'github-repository-dispatch' })).toThrow(
      /needs a `url`/,
    );
    expect(render('github-repository-dispatch', notificationOf()).headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${KEY}`,
      'x-github-api-version': '2022-11-28',
    });
  });
});

describe('a configured webhook', () => {
  it('replaces headers and payload of the preset', () => {
    const webhook = webhookOf(choice('opsgenie', { headers: { Authorization: 'x', a: 'b' }, payload: null }));
    expect(webhook.headers).toEqual({ Authorization: 'x', a: 'b' });
    expect(webhook.payload).toBeNull();
  });
});
