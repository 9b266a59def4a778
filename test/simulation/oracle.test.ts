import { describe, expect, it } from 'vitest';
import { Ledger, LostPeriods, Model } from '../../simulation/oracle.ts';

/** A delivery with one change of the advisory A in the package p of a target. */
function delivery(transition: string, severity = 'high', more: object = {}): string {
  const change = {
    target: null,
    transition,
    severity,
    rule: 'vulnerability',
    package: 'p',
    version: '1.0.0',
  };
  return JSON.stringify({
    target: 'shop',
    reminder: false,
    changes: [{ ...change, advisories: ['A'], ...more }],
  });
}

function worldWith(score: number, now?: () => number): Model {
  const model = new Model(now);
  model.lock('shop', new Map([['p', '1.0.0']]));
  model.publish('A', { name: 'p', versions: ['1.0.0'], score });
  return model;
}

describe('the oracle', () => {
  it('expects what is locked and affected', () => {
    const model = worldWith(7.5);
    expect([...model.open()]).toEqual([['shop p A', 'high']]);
    model.lock('shop', new Map([['p', '2.0.0']]));
    expect(model.open().size).toBe(0);
  });

  it('expects nothing of an advisory that is suppressed, until that has ended', () => {
    let now = 0;
    const model = worldWith(7.5, () => now);
    model.suppress('A', 100);
    expect([[...model.open()], model.isSuppressedIn('shop')]).toEqual([[], true]);
    now = 100;
    expect([[...model.open()], model.isSuppressedIn('shop')]).toEqual([[['shop p A', 'high']], false]);
  });

  it('finds a change that was lost', () => {
    const ledger = new Ledger();
    expect(ledger.differences(worldWith(7.5).open())).toHaveLength(1);
    ledger.read(delivery('opened'), 0);
    expect(ledger.differences(worldWith(7.5).open())).toEqual([]);
  });

  it('finds a resolution that was lost', () => {
    const ledger = new Ledger();
    ledger.read(delivery('opened'), 0);
    expect(ledger.differences(new Map())).toEqual(['lost: shop p A is resolved']);
  });

  it('finds a higher severity that was lost; an unrated advisory counts as medium', () => {
    const ledger = new Ledger();
    ledger.read(delivery('opened', 'unrated'), 0);
    expect(ledger.differences(worldWith(5).open())).toEqual([]);
    expect(ledger.differences(worldWith(7.5).open())).toHaveLength(1);
  });

  it.each([
    ['opened', ['opened']],
    ['resolved', ['opened', 'resolved']],
    ['worsened', ['opened', 'resolved']],
    ['reopened', ['opened']],
  ])('refuses %s after %j', (transition, before) => {
    const ledger = new Ledger();
    for (const one of before) ledger.read(delivery(one), 0);
    expect(() => ledger.read(delivery(transition), 0)).toThrow('told twice or out of order');
  });

  it('expects of a finding that was suppressed that it is reopened', () => {
    const ledger = new Ledger({ suppressed: new Set(['shop p A']) });
    expect(() => ledger.read(delivery('opened'), 0)).toThrow('told twice or out of order');
    ledger.read(delivery('reopened'), 0);
    expect(ledger.differences(worldWith(7.5).open())).toEqual([]);
  });

  it('lets a change be told again that was told while Redis lost its writes', () => {
    const lost = new LostPeriods();
    const ledger = new Ledger({ lost });
    ledger.read(delivery('opened'), 500);
    lost.add({ from: 400, to: 900 });
    ledger.read(delivery('opened'), 2_000);
    expect(() => ledger.read(delivery('opened'), 3_000)).toThrow('told twice');
  });

  it('lets a change be told again whose delivery was under way when Redis lost its writes', () => {
    const lost = new LostPeriods();
    const ledger = new Ledger({ lost });
    ledger.read(delivery('opened'), 950, 890);
    lost.add({ from: 400, to: 900 });
    ledger.read(delivery('opened'), 2_000);
    expect(() => ledger.read(delivery('opened'), 2_950, 2_890)).toThrow('told twice');
  });

  it('ignores a delivery that was under way when Redis lost its verdict, and that another one has overtaken', () => {
    const lost = new LostPeriods();
    const ledger = new Ledger({ lost });
    ledger.read(delivery('opened'), 100);
    lost.add({ from: 400, to: 900 });
    ledger.read(delivery('resolved'), 2_000, 1_990);
    ledger.read(delivery('resolved'), 3_000, 890);
    expect(ledger.differences(new Map())).toEqual([]);
    expect(() => ledger.read(delivery('resolved'), 3_000, 950)).toThrow('told twice');
  });

  it('does not expect the end of what was told only while Redis lost its writes', () => {
    const lost = new LostPeriods();
    const ledger = new Ledger({ lost });
    ledger.read(delivery('opened'), 500);
    lost.add({ from: 400, to: 900 });
    expect(ledger.differences(new Map())).toEqual([]);
    ledger.read(delivery('opened'), 2_000);
    expect(ledger.differences(new Map())).toEqual(['lost: shop p A is resolved']);
  });

  it('reads one alert that resolves an issue in one version and opens it in another', () => {
    const ledger = new Ledger();
    ledger.read(delivery('opened'), 0);
    const both = JSON.parse(delivery('opened', 'high', { version: '2.0.0' })) as { changes: object[] };
    both.changes.push({ ...both.changes[0], transition: 'resolved', version: '1.0.0' });
    ledger.read(JSON.stringify(both), 0);
    expect(ledger.changes).toBe(3);
  });

  it('reads an alert with the changes of several scans in their order', () => {
    const ledger = new Ledger({ isGathered: true });
    const both = JSON.parse(delivery('opened')) as { changes: object[] };
    both.changes.push({ ...both.changes[0], transition: 'resolved' });
    const reversed = { ...both, changes: both.changes.toReversed() };
    expect(() => ledger.read(JSON.stringify(reversed), 0)).toThrow('not in order');
    ledger.read(JSON.stringify(both), 0);
    expect(ledger.differences(new Map())).toEqual([]);
    ledger.read(delivery('reopened'), 0);
    expect(ledger.differences(worldWith(7.5).open())).toEqual([]);
    expect(() => ledger.read(delivery('opened'), 0)).toThrow('told twice');
  });
});
