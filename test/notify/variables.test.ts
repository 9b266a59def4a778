import { describe, expect, it } from 'vitest';
import type { Notification, NotifiedChange } from '../../src/model/alert/notification.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import { alertOf } from '../../src/notify/alert/alert.ts';
import { testNotification } from '../../src/notify/alert/test-notification.ts';
import { valuesOf } from '../../src/notify/rendering/values.ts';
import { changeOf, notificationOf } from './notification.ts';

const text = (name: string, notification: Notification) =>
  valuesOf(alertOf(notification), {}).get(name)?.text;

function rated(severity: Severity, transition: NotifiedChange['transition'] = 'opened'): NotifiedChange {
  const change = changeOf('a', 'Title', transition);
  return { ...change, finding: { ...change.finding, severity } };
}

const NOTHING_OPEN = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };

describe('the severity of an alert', () => {
  it.each([
    ['critical', 'opened', 'P1 error normal Triggered'],
    ['high', 'reopened', 'P2 error normal Triggered'],
    ['medium', 'worsened', 'P3 warning normal Triggered'],
    ['low', 'opened', 'P4 warning low Triggered'],
    ['none', 'opened', 'P5 warning low Triggered'],
    ['critical', 'resolved', 'P1 success low Recovered'],
  ] as const)('%s %s: %s', (severity, transition, expected) => {
    const notification = notificationOf([rated(severity, transition)]);
    const names = ['ALERT_PRIORITY', 'ALERT_TYPE', 'PRIORITY', 'ALERT_TRANSITION'];
    expect(names.map((name) => text(name, notification)).join(' ')).toBe(expected);
  });

  it('is that of its worst unresolved change', () => {
    const changes = [rated('critical', 'resolved'), rated('low'), rated('medium')];
    expect(text('SEVERITY', notificationOf(changes))).toBe('medium');
    expect(text('SEVERITY', notificationOf(changes.slice(0, 1)))).toBe('critical');
    expect(text('SEVERITY', notificationOf([]))).toBe('none');
    expect(text('EVENT_TITLE', notificationOf([]))).toBe('[none] shop/web: no changes');
  });
});

describe('grouping of alerts', () => {
  const digest = (transition: NotifiedChange['transition'], open = NOTHING_OPEN): Notification => ({
    ...notificationOf([rated('high', transition)]),
    open,
  });

  it.each<[string, Notification, string]>([
    ['a digest that opens', digest('opened'), 'trigger'],
    ['a digest after which nothing is open', digest('resolved'), 'resolve'],
    ['a digest after which something is', digest('resolved', { ...NOTHING_OPEN, low: 1 }), 'trigger'],
    [
      'a change that is over',
      { ...digest('resolved', { ...NOTHING_OPEN, low: 1 }), mode: 'change' },
      'resolve',
    ],
    ['a change that opens', { ...digest('opened'), mode: 'change' }, 'trigger'],
    ['the end of a first scan', { ...digest('opened'), firstScan: 'resolved' }, 'resolve'],
    ['a first scan', { ...digest('opened'), firstScan: 'opened' }, 'trigger'],
  ])('%s: %#', (_what, notification, action) => {
    expect(text('EVENT_ACTION', notification)).toBe(action);
  });

  it('is the finding for one change, the target for all else', () => {
    const one = { ...digest('opened'), mode: 'change' as const };
    const other = { ...one, target: { id: 'api', labels: {} } };
    expect(text('DEDUP_KEY', one)).toBe(text('DEDUP_KEY', other));
    expect(text('DEDUP_KEY', { ...one, mode: 'digest' })).not.toBe(
      text('DEDUP_KEY', { ...other, mode: 'digest' }),
    );
    expect(text('DEDUP_KEY', { ...one, mode: 'digest' })).toMatch(/^lockhound-[0-9a-f]{32}$/);
    expect(text('DEDUP_KEY', { ...one, changes: [], mode: 'change' })).toBe(
      text('DEDUP_KEY', { ...one, mode: 'digest' }),
    );
  });
});

describe('a test alert', () => {
  const test = (transition: NotifiedChange['transition']) =>
    testNotification({
      route: 'a',
      mode: 'change',
      id: 'msg_test',
      date: '2026-11-21T03:04:05Z',
      transition,
    });

  it('is marked as a test in every text', () => {
    expect(text('TEST', test('opened'))).toBe('true');
    expect(text('TEST', notificationOf())).toBe('false');
    for (const name of ['EVENT_TITLE', 'PAGERDUTY_SUMMARY', 'OPSGENIE_MESSAGE']) {
      expect(text(name, test('opened'))).toMatch(/^\[test\] /);
      expect(text(name, notificationOf())).not.toContain('[test]');
    }
    expect(text('TAGS', test('opened'))).toContain('test:true');
  });

  it('opens and closes one thing', () => {
    expect(text('DEDUP_KEY', test('opened'))).toBe(text('DEDUP_KEY', test('resolved')));
    expect(
      [text('OPEN', test('opened')), text('OPEN', test('resolved'))].map(
        (open) => JSON.parse(open ?? '').low,
      ),
    ).toEqual([1, 0]);
    expect(test('worsened').changes[0]?.previousSeverity).toBe('none');
  });
});

describe('labels', () => {
  const labelled = (labels: Readonly<Record<string, string>>): Notification => ({
    ...notificationOf(),
    target: { id: 'shop', labels },
  });

  it('are sorted tags after target and severity; each has a variable', () => {
    const notification = labelled({ team: 'web', area: 'eu', org: 'Acme', org_id: '7' });
    expect(text('TAGS', notification)).toBe('target:shop,severity:high,area:eu,org:Acme,org_id:7,team:web');
    expect(text('TAGS[team]', notification)).toBe('web');
    expect(text('TAGS[tea]', notification)).toBe('');
    expect([text('ORG_NAME', notification), text('ORG_ID', notification)]).toEqual(['Acme', '7']);
    expect([text('ORG_NAME', labelled({})), text('ORG_ID', labelled({}))]).toEqual(['', '']);
  });

  it('have no values from elsewhere', () => {
    expect(text('TAGS[constructor]', labelled({}))).toBe('');
    expect(valuesOf(alertOf(labelled({})), {}).get('constructor')).toBeUndefined();
    expect(valuesOf(alertOf(labelled({})), { toString: { value: 'x' } }).has('valueOf')).toBe(false);
  });
});

describe('values', () => {
  it('from the configuration take precedence, and may be JSON', () => {
    const values = valuesOf(alertOf(notificationOf()), { TARGET: { value: '5' }, ROUTE: { value: 'a b' } });
    expect(values.get('TARGET')).toEqual({ text: '5', json: '5', trusted: true });
    expect(values.get('ROUTE')).toEqual({ text: 'a b', json: '"a b"', trusted: true });
    expect(values.get('SCAN')).toEqual({ text: 'scan-1', json: '"scan-1"', trusted: false });
    expect(values.get('GAPS')).toEqual({ text: '4', json: '4', trusted: false });
  });

  it('keep an invalid time', () => {
    expect(text('DATE', { ...notificationOf(), date: 'soon' })).toBe('soon');
    expect(text('DATE', { ...notificationOf(), date: '1970-01-01T00:00:01Z' })).toBe('1000');
  });
});
