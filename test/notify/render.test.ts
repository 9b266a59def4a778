import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Notification } from '../../src/model/alert/notification.ts';
import { printable, printableStrings } from '../../src/model/printable.ts';
import { Secret } from '../../src/model/secret.ts';
import { alertOf } from '../../src/notify/alert/alert.ts';
import { changeEvent } from '../../src/notify/alert/change-event.ts';
import { genericPreset } from '../../src/notify/presets/generic.ts';

import { renderRequest } from '../../src/notify/rendering/render-request.ts';
import { ALERT_VARIABLES, valuesOf } from '../../src/notify/rendering/values.ts';
import type { VariableValue, WebhookDefinition } from '../../src/notify/webhooks/definition.ts';
import { anyText } from '../any-text.ts';
import { changeOf, notificationOf } from './notification.ts';

const CUSTOM: Record<string, VariableValue> = {
  SECRET: { secret: new Secret('quiet-value') },
  BASE: { value: 'https://example.com/base?x=1' },
  HOST: { value: 'localhost:8080' },
  NUMBER: { value: '5' },
  DATEX: { value: 'longest' },
};

function render(parts: Partial<WebhookDefinition>, notification = notificationOf(), custom = CUSTOM) {
  const definition: WebhookDefinition = {
    name: 'hook',
    url: 'https://example.com/',
    headers: {},
    payload: '{}',
    encodeAs: 'json',
    ...parts,
  };
  return renderRequest(definition, valuesOf(alertOf(notification), custom));
}

const bodyOf = (payload: string | null, notification = notificationOf(), custom = CUSTOM): unknown =>
  JSON.parse(render({ payload }, notification, custom).body);

describe('the payload', () => {
  it('of the generic event', () => {
    expect(bodyOf(genericPreset.payload)).toEqual({
      schema: 'lockhound.changes/1',
      id: 'msg_0123456789abcdef',
      route: 'default',
      test: false,
      firstScan: false,
      reminder: false,
      date: '2026-11-21T03:04:05.000Z',
      scan: 'scan-1',
      target: 'shop/web',
      labels: { team: 'web', org: 'Shop' },
      severity: 'high',
      summary: '[high] shop/web: 1 opened',
      counts: { opened: 1, worsened: 0, reopened: 0, disputed: 0, suppressed: 0, resolved: 0 },
      open: { critical: 0, high: 1, medium: 2, low: 0, none: 0, unrated: 3 },
      gaps: 4,
      changes: [
        {
          target: 'shop/web',
          transition: 'opened',
          severity: 'high',
          previousSeverity: null,
          rule: 'vulnerability',
          title: 'Prototype pollution',
          ecosystem: 'npm',
          package: 'left-pad',
          version: '1.2.3',
          purl: 'pkg:npm/left-pad@1.2.3',
          direct: null,
          advisories: ['GHSA-aaaa-bbbb-cccc', 'CVE-2026-0001'],
          url: 'https://osv.dev/GHSA-aaaa-bbbb-cccc',
          score: 7.5,
          disputed: null,
          advice: null,
          priority: null,
          kev: null,
          epss: null,
          fixes: [],
          age: null,
          due: null,
          since: null,
          reason: null,
          suppressed: null,
          suspicion: null,
          locations: [{ path: 'package-lock.json', line: 7, dependencyPath: [] }],
          owners: [],
          fingerprint: 'f'.repeat(32),
        },
      ],
      leftOut: 0,
    });
  });

  it('is the default one of the platform when it is null', () => {
    const date = String(Date.parse('2026-11-21T03:04:05.000Z'));
    expect(bodyOf(null)).toEqual({
      body: '[high] shop/web: 1 opened\nopened high: Prototype pollution (left-pad@1.2.3, GHSA-aaaa-bbbb-cccc)',
      last_updated: date,
      event_type: 'lockhound.changes',
      title: '[high] shop/web: 1 opened',
      date,
      org: { id: '', name: 'Shop' },
      id: 'msg_0123456789abcdef',
    });
  });

  it.each([
    ['the longest known name counts', '"$DATEX $TARGETS"', 'longest shop/webS'],
    ['unknown names stay', '"$UNDEFINED_NAME $ $$TARGET"', '$UNDEFINED_NAME $ $shop/web'],
    ['JSON is unquoted', '{"n": $NUMBER, "gaps": $GAPS}', { n: 5, gaps: 4 }],
    ['text unquoted becomes a string', '[$TARGET, $BASE]', ['shop/web', 'https://example.com/base?x=1']],
    ['JSON inside a string is text', '"gaps: $GAPS, $LABELS_JSON"', 'gaps: 4, {"team":"web","org":"Shop"}'],
    [
      'one tag of many',
      '"$TAGS[team] $TAGS[unknown]$TAGS[no end"',
      'web target:shop/web,severity:high,org:Shop,team:web[no end',
    ],
    ['what has no meaning here is empty', '["$ALERT_QUERY", $SNAPSHOT]', ['', '']],
    ['an escaped quote does not end a string', String.raw`"\"$TARGET\\"`, '"shop/web\\'],
  ])('%s', (_rule, payload, expected) => expect(bodyOf(payload)).toEqual(expected));

  it('that is not JSON is an error without values', () => {
    expect(() => render({ payload: '{"a": "$SECRET' })).toThrow(
      expect.objectContaining({ code: 'template-invalid', message: expect.not.stringContaining('quiet') }),
    );
  });

  it('refuses a backslash directly before a variable', () => {
    const hostile = notificationOf([changeOf('", "x": "$SECRET')]);
    for (const payload of [String.raw`{"a": "\$CHANGES"}`, String.raw`{"a": "\\\$TARGET"}`]) {
      expect(() => render({ payload }, hostile)).toThrow(
        expect.objectContaining({ code: 'template-invalid' }),
      );
    }
    expect(bodyOf(String.raw`"\\$TARGET"`)).toBe(String.raw`\shop/web`);
  });

  it('can be sent as a form, with nested values as JSON', () => {
    const { body, headers } = render({
      encodeAs: 'form',
      payload: '{"text": "$TARGET & $SECRET", "open": {"g": $GAPS}}',
    });
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(body)]).toEqual([
      ['text', 'shop/web & quiet-value'],
      ['open', '{"g":4}'],
    ]);
    for (const payload of ['[1]', 'null', '5', '"text"']) {
      expect(() => render({ encodeAs: 'form', payload })).toThrow(/must be a JSON object/);
    }
  });

  it('a hostile package name breaks nothing and reveals nothing', () => {
    const hostile = notificationOf([changeOf('"},"x":"$SECRET', '$SECRET\r\nX-Evil: 1')]);
    const template = '{"text": "$EVENT_MSG", "all": $CHANGES_JSON, "line": "$CHANGES"}';
    const { body } = render({ payload: template }, hostile);
    expect(body).not.toContain('quiet-value');
    expect(Object.keys(JSON.parse(body))).toEqual(['text', 'all', 'line']);
    expect(JSON.parse(body).all[0].package).toBe('"},"x":"$SECRET');
  });

  it('has the intended structure for any name, title and variable', () => {
    const text = fc.string({
      unit: fc.constantFrom(
        '"',
        '\\',
        '$',
        '{',
        '}',
        ',',
        ':',
        '\n',
        '\0',
        '\u2028',
        '\ud800',
        '$SECRET',
        'é',
        'a',
      ),
    });
    const anything = fc.oneof(text, anyText());
    fc.assert(
      fc.property(anything, anything, anything, (name, title, value) => {
        const change = changeOf(name, title);
        const custom = { SECRET: { secret: new Secret('quiet-value') }, ANY: { value } };
        const template = '{"$ANY": 1, "text": "a $ANY b", "c": $CHANGES_JSON, "t": "$CHANGES"}';
        const body = render({ payload: template }, notificationOf([change]), custom).body;
        expect(body).not.toContain('quiet-value');
        const expected = Object.fromEntries([
          [value, 1],
          ['text', `a ${value} b`],
          ['c', [changeEvent(printableStrings(change), 'shop/web')]],
          ['t', `opened high: ${printable(title)} (${printable(name)}@1.2.3, GHSA-aaaa-bbbb-cccc)`],
        ]);
        expect(JSON.parse(body)).toEqual(expected);
      }),
    );
  });
});

describe('the URL', () => {
  it.each([
    ['$BASE', 'https://example.com/base?x=1'],
    ['$BASE&y=$TARGET', 'https://example.com/base?x=1&y=shop%2Fweb'],
    ['https://$HOST/$TARGET', 'https://localhost:8080/shop%2Fweb'],
    [
      'https://example.com/?a=$SECRET&b=$BASE',
      `https://example.com/?a=quiet-value&b=${encodeURIComponent('https://example.com/base?x=1')}`,
    ],
  ])('%s becomes %s', (template, url) => expect(render({ url: template }).url).toBe(url));

  it.each([
    ['$LINK', 'url-invalid'],
    ['$UNDEFINED_NAME/x', 'variable-unknown'],
    ['mailto:someone@example.com', 'url-invalid'],
    ['https://example.com/$UP/secret', 'url-invalid'],
    ['https://example.com/$UP', 'url-invalid'],
  ])('%s is refused: %s', (url, code) => {
    const custom = { UP: { value: '..' } };
    expect(() => render({ url }, notificationOf(), custom)).toThrow(expect.objectContaining({ code }));
  });

  it('stays on its host and path for any value', () => {
    fc.assert(
      fc.property(anyText(), (id) => {
        fc.pre(!/^\.{0,2}$/.test(id));
        const notification = { ...notificationOf(), target: { id, labels: {} } };
        const url = new URL(render({ url: 'https://example.com/a/$TARGET/b?c=$TARGET' }, notification).url);
        expect(url.host).toBe('example.com');
        expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', printable(id), 'b']);
        expect(url.searchParams.get('c')).toBe(printable(id));
      }),
    );
  });
});

describe('headers', () => {
  it('are filled in, their names in lower case', () => {
    const headers = { Authorization: 'Bearer $SECRET', 'Content-Type': 'application/vnd.x+json' };
    expect(render({ headers }).headers).toEqual({
      authorization: 'Bearer quiet-value',
      'content-type': 'application/vnd.x+json',
    });
  });

  it('never hold line breaks or NUL, for any title', () => {
    fc.assert(
      fc.property(anyText(), (title) => {
        const { headers } = render(
          { headers: { 'X-Title': '$EVENT_MSG' } },
          notificationOf([changeOf('a', title)]),
        );
        expect(headers['x-title']).toMatch(/^[\t\x20-\x7e]+$/);
      }),
    );
  });

  it.each(['a', '😀', 'ä', '漢"'])('and URLs stay short as they are sent, for a long title of %s', (unit) => {
    const long = notificationOf([changeOf('a', unit.repeat(5_000))]);
    const { headers, url } = render(
      { headers: { 'X-A': '$EVENT_MSG' }, url: 'https://a.b/?$EVENT_MSG' },
      long,
    );
    const header = headers['x-a'] ?? '';
    for (const sent of [header, new URL(url).search.slice(1)]) {
      expect(sent.length).toBeLessThanOrEqual(2_000);
      expect(sent.length).toBeGreaterThan(1_900);
    }
    expect(header).toMatch(/\.\.\.$/);
    // Cut between characters.
    expect(decodeURIComponent(new URL(url).search)).toMatch(/\.\.\.$/);
    expect(header).not.toMatch(/%[\dA-F]?\.\.\.$/);
  });

  it.each([
    { 'X-A': 'a\r\nb' },
    { 'X-A': '$BROKEN' },
    { 'webhook-id': 'mine' },
    { Host: 'elsewhere' },
    { 'a b': 'c' },
  ])('%j is refused', (headers) => {
    const custom = { BROKEN: { secret: new Secret('quiet\nvalue') } };
    expect(() => render({ headers }, notificationOf(), custom)).toThrow(
      expect.objectContaining({ code: 'header-invalid', message: expect.not.stringContaining('quiet') }),
    );
  });

  it('trim the line break at the end of a secret', () => {
    const custom = { TOKEN: { secret: new Secret('quiet-value\n') } };
    expect(render({ headers: { 'X-A': '$TOKEN' } }, notificationOf(), custom).headers['x-a']).toBe(
      'quiet-value',
    );
  });
});

describe('the table of variables', () => {
  it('has each name once, described in a line', () => {
    const names = ALERT_VARIABLES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, description } of ALERT_VARIABLES) {
      expect(name).toMatch(/^[A-Z0-9_]+$/);
      expect(description).toMatch(/^.{3,120}$/);
    }
  });

  it('has a stable key for grouping alerts', () => {
    const key = (notification: Notification) => bodyOf('"$DEDUP_KEY $EVENT_ACTION"', notification);
    const [opened, other, resolved] = [
      notificationOf([changeOf('a')]),
      notificationOf([changeOf('a'), changeOf('b')]),
      notificationOf([changeOf('a', 'Title', 'resolved')]),
    ];
    expect(key(opened)).toMatch(/^lockhound-[0-9a-f]{32} trigger$/);
    expect(key(other)).toBe(key(opened));
    expect(key(resolved)).toBe(key(opened));
    const nothing = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
    expect(key({ ...resolved, open: nothing })).toMatch(/ resolve$/);
    expect(key({ ...opened, mode: 'change' })).toBe(`lockhound-${'f'.repeat(32)} trigger`);
    expect(key({ ...resolved, mode: 'change' })).toBe(`lockhound-${'f'.repeat(32)} resolve`);
  });

  it('links to the configured page, else to the advisory', () => {
    expect(bodyOf('"$LINK"', { ...notificationOf(), link: 'https://ci.example/1' })).toBe(
      'https://ci.example/1',
    );
  });

  it('names the target of a change in a digest over several targets', () => {
    const digest = notificationOf([changeOf('a'), { ...changeOf('b'), target: 'shop/api' }]);
    expect(bodyOf('"$CHANGES"', digest)).toMatch(/^opened high: .*\nshop\/api: opened high: /);
    expect(bodyOf('$CHANGES_JSON', digest)).toMatchObject([{ target: 'shop/web' }, { target: 'shop/api' }]);
  });

  it('distinguishes recoveries from alarms', () => {
    const recovery = notificationOf([changeOf('a', 'Title', 'resolved')]);
    const template = '"$ALERT_TRANSITION $ALERT_TYPE $PRIORITY $ALERT_PRIORITY $ALERT_STATUS $TAGS $LINK"';
    expect(bodyOf(template, recovery)).toBe(
      'Recovered success low P2 1 resolved target:shop/web,severity:high,org:Shop,team:web https://osv.dev/GHSA-aaaa-bbbb-cccc',
    );
    expect(bodyOf(template)).toMatch(/^Triggered error normal P2 1 opened /);
    expect(bodyOf(template, notificationOf([]))).toMatch(/^Recovered success low P5 no changes /);
  });
});
