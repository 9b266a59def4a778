import { describe, expect, it } from 'vitest';
import type { NotifiedChange } from '../../src/model/alert/notification.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import { type Alert, alertMaker, alertOf, jsonBytes } from '../../src/notify/alert/alert.ts';
import { messageWithin } from '../../src/notify/alert/message.ts';
import { valuesOf } from '../../src/notify/rendering/values.ts';
import { changeOf, notificationOf } from './notification.ts';

const value = (name: string, alert: Alert) => JSON.parse(valuesOf(alert, {}).get(name)?.json ?? '');

/** Alerts with this number of changes of equal length. */
const many = (count: number, link = 'https://ci.example/1') =>
  alertOf({
    ...notificationOf(
      Array.from({ length: count }, (_, index) => changeOf(`package-${String(index).padStart(5, '0')}`)),
    ),
    link,
  });

describe('the size limit of a receiver', () => {
  it.each([
    ['GITHUB_CLIENT_PAYLOAD', 60_000, (payload: { changes: unknown[] }) => payload.changes[0]],
  ] as const)('%s: is used up to the last change that fits, and never exceeded', (name, limit, itemOf) => {
    const made = value(name, many(5_000));
    const item = jsonBytes(itemOf(made)) + 1;
    expect(jsonBytes(made)).toBeLessThanOrEqual(limit);
    expect(jsonBytes(made)).toBeGreaterThan(limit - 2 * item);
  });

  it('TEAMS_CARD: lists what a person reads at once, and fewer changes where they are long', () => {
    const shown = (alert: Alert) => JSON.stringify(value('TEAMS_CARD', alert)).match(/package-\d+@/g)?.length;
    expect(shown(many(5_000))).toBe(25);
    const title = 'ä'.repeat(500);
    const long = alertOf(
      notificationOf(Array.from({ length: 40 }, (_, index) => changeOf(`package-${index}`, title))),
    );
    expect(jsonBytes(value('TEAMS_CARD', long))).toBeLessThanOrEqual(27_000);
    expect(shown(long)).toBeGreaterThan(10);
    expect(shown(long)).toBeLessThan(25);
  });

  it('PAGERDUTY_DETAILS: holds changes of 400,000 bytes', () => {
    const { changes, left_out: leftOut } = value('PAGERDUTY_DETAILS', many(2_000));
    expect(jsonBytes(changes)).toBeLessThanOrEqual(400_000);
    expect(jsonBytes(changes)).toBeGreaterThan(400_000 - 2 * jsonBytes(changes[0]));
    expect(changes.length + leftOut).toBe(2_000);
  });

  it('a message: complete when it fits exactly, otherwise whole lines and a count', () => {
    const alert = many(3);
    const whole = messageWithin(alert, 10_000);
    expect(whole.split('\n')).toHaveLength(4);
    expect(messageWithin(alert, whole.length)).toBe(whole);
    const cut = messageWithin(alert, whole.length - 1);
    expect(cut.length).toBeLessThan(whole.length);
    expect(cut).toMatch(/\nand \d more changes?: https:\/\/ci\.example\/1$/);
    expect(cut.split('\n').slice(0, -1)).toEqual(whole.split('\n').slice(0, cut.split('\n').length - 1));
  });

  it('is used for the worst changes, in any order; omitted changes are counted', () => {
    const severities: readonly Severity[] = ['low', 'critical', 'high'];
    const changes = Array.from({ length: 3_000 }, (_, index): NotifiedChange => {
      const change = changeOf(`package-${index}`, 'Title', index % 2 === 0 ? 'resolved' : 'opened');
      const severity = severities[index % 3] ?? 'low';
      return { ...change, finding: { ...change.finding, severity } };
    });
    const { changes: listed, more } = value('GITHUB_CLIENT_PAYLOAD', alertOf(notificationOf(changes)));
    expect(listed.length).toBeGreaterThan(20);
    for (const one of listed) expect(one).toMatchObject({ severity: 'critical', transition: 'opened' });
    expect(listed.length + more.leftOut).toBe(3_000);
    const shortened = alertMaker(notificationOf(changes))({ most: 5, brief: true });
    expect(value('GITHUB_CLIENT_PAYLOAD', shortened)).toMatchObject({ more: { leftOut: 2_995 } });
    expect(value('SLACK_BLOCKS', shortened)[2].text.text).toBe(
      '_and 2995 more changes_: <https://osv.dev/GHSA-aaaa-bbbb-cccc|details>',
    );
  });

  it('is not filled by one change: its lists and texts are cut', () => {
    const { finding } = changeOf('a', 'x'.repeat(3_000));
    const names = Array.from({ length: 50 }, (_, index) => `CVE-2026-${index}`);
    const path = Array.from({ length: 60 }, (_, index) => `step-${index}@1`);
    const locations = Array.from({ length: 40 }, (_, line) => ({
      path: 'a.lock',
      line,
      dependencyPath: path,
    }));
    const advisory = { id: 'GHSA-1', aliases: names, title: 'A', url: 'https://osv.dev/1' };
    const large = { ...finding, advice: 'y'.repeat(3_000), locations, advisory };
    const [listed] = value(
      'PAGERDUTY_DETAILS',
      alertOf(notificationOf([{ ...changeOf('a'), finding: large }])),
    ).changes;
    expect([listed.title.length, listed.advice.length]).toEqual([1_000, 1_000]);
    expect([listed.advisories.length, listed.locations.length]).toEqual([30, 10]);
    expect(listed.locations[9].dependencyPath).toEqual(path.slice(0, 30));
  });
});

describe('a link in a Slack message', () => {
  it.each([
    [1_000, true],
    [1_001, false],
  ])('of %i characters: %s', (length, linked) => {
    const url = `https://a.example/${'x'.repeat(length - 'https://a.example/'.length)}`;
    const { advisory, ...rest } = changeOf('a').finding;
    const finding = { ...rest, ...(advisory === undefined ? {} : { advisory: { ...advisory, url } }) };
    const [, section] = value('SLACK_BLOCKS', alertOf(notificationOf([{ ...changeOf('a'), finding }])));
    const id = 'GHSA-aaaa-bbbb-cccc';
    expect(section.text.text.endsWith(linked ? `<${url}|${id}>` : `pollution ${id}`)).toBe(true);
  });
});

describe('an unrated finding', () => {
  const counting = (severity: Severity, countsAs?: 'high' | 'low'): NotifiedChange => {
    const change = changeOf(`${severity}-${countsAs ?? ''}`);
    return {
      ...change,
      finding: { ...change.finding, severity, ...(countsAs === undefined ? {} : { countsAs }) },
    };
  };

  it('follows findings of the severity that it counts as', () => {
    const changes = [
      counting('low'),
      counting('unrated', 'low'),
      counting('medium'),
      counting('unrated', 'high'),
      counting('high'),
    ];
    const ranked = alertOf(notificationOf(changes)).ranked();
    expect(ranked.map(({ finding }) => finding.package.name)).toEqual([
      'high-',
      'unrated-high',
      'medium-',
      'low-',
      'unrated-low',
    ]);
  });
});

describe('a card for Microsoft Teams', () => {
  const cardOf = (...changes: readonly NotifiedChange[]) =>
    value('TEAMS_CARD', alertOf(notificationOf(changes)));

  it('shows the severity of each change by colour and by name', () => {
    const colours = (['critical', 'high', 'medium', 'low', 'none'] as const).map((severity) => {
      const change = changeOf('a');
      const { body } = cardOf({ ...change, finding: { ...change.finding, severity } });
      return `${severity} ${body[2].inlines[0].color}`;
    });
    expect(colours).toEqual([
      'critical Attention',
      'high Attention',
      'medium Warning',
      'low Default',
      'none Default',
    ]);
    const [, of, mended] = cardOf({ ...changeOf('a', 'Hole', 'resolved'), target: 'other' }).body;
    expect(of.inlines[0].text).toBe('other: a@1.2.3');
    expect(mended.inlines.map(({ text }: { text: string }) => text)).toEqual([
      '• resolved high: ',
      'Hole ',
      'GHSA-aaaa-bbbb-cccc',
    ]);
    expect(mended.inlines[0].color).toBe('Good');
    expect(mended.inlines[2].selectAction).toEqual({
      type: 'Action.OpenUrl',
      url: 'https://osv.dev/GHSA-aaaa-bbbb-cccc',
    });
  });

  it('has no advisory without one, no link without a valid URL, and no count of zero', () => {
    const { advisory: _, ...finding } = changeOf('a').finding;
    const plain = cardOf({ ...changeOf('a'), finding });
    expect(plain.body[2].inlines).toHaveLength(2);
    expect(plain.actions).toBeUndefined();
    expect(plain.body).toHaveLength(4);
    const odd = {
      ...finding,
      advisory: { id: 'GHSA-1', aliases: [], title: 'A', url: 'javascript:alert(1)' },
    };
    expect(cardOf({ ...changeOf('a'), finding: odd }).body[2].inlines[2]).toEqual({
      type: 'TextRun',
      text: 'GHSA-1',
    });
    expect(cardOf(changeOf('a')).actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Details', url: 'https://osv.dev/GHSA-aaaa-bbbb-cccc' },
    ]);
  });

  it('ends with the open findings, and the number of unknown facts when there are any', () => {
    const foot = (gaps: number, high: number) => {
      const { open, ...rest } = notificationOf();
      const none = { ...open, critical: 0, medium: 0, low: 0, none: 0, unrated: 0 };
      const card = value('TEAMS_CARD', alertOf({ ...rest, open: { ...none, high }, gaps }));
      return card.body.at(-1).inlines[0].text;
    };
    expect(foot(0, 2)).toBe('Open: 2 high');
    expect(foot(3, 0)).toBe('Open: none · 3 facts could not be determined');
  });
});
