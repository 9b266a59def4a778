import { expect, it } from 'vitest';
import { ledgerKeep } from '../../src/compose/store.ts';

it('the last entry whose labels a target has says how long its ledger is kept', () => {
  const keep = ledgerKeep({
    ledger: {
      keep: 1,
      byLabel: [
        { labels: { team: 'web*' }, keep: 2 },
        { labels: { team: 'web-shop', tier: '*' }, keep: 3 },
      ],
    },
  });
  expect(keep({})).toBe(1);
  expect(keep({ team: 'web-search' })).toBe(2);
  expect(keep({ team: 'web-shop' })).toBe(2);
  expect(keep({ team: 'web-shop', tier: '1' })).toBe(3);
  // A name of every object is no label.
  expect(ledgerKeep({ ledger: { keep: 1, byLabel: [{ labels: { constructor: '*' }, keep: 2 }] } })({})).toBe(
    1,
  );
});
