import { expect, it } from 'vitest';
import type { VersionRecordSummary } from '../../src/model/scan/inventory.ts';
import { quarantined } from '../../src/policy/rules/quarantined.ts';
import { factsOf, inventoryOf, findingsOf as judged, lockfileOf, packageOf, resolved } from './facts.ts';

async function findingsOf(record: Partial<VersionRecordSummary>) {
  const one = packageOf('a@1.0.0', { resolution: resolved('a', '1.0.0', record) });
  const findings = await judged(factsOf(inventoryOf(lockfileOf([one]))));
  return findings.map(({ rule, level, severity, title }) => [rule, level, severity, title]);
}

it('a project in quarantine is an alert', async () => {
  const reason = 'malware\n in  1.0.0';
  expect(await findingsOf({ projectStatus: { status: 'quarantined', reason } })).toEqual([
    ['quarantined', 'alert', 'high', 'The project a is in quarantine: malware in 1.0.0'],
  ]);
  expect(await findingsOf({ projectStatus: { status: 'quarantined' } })).toMatchObject([
    ['quarantined', 'alert', 'high', 'The project a is in quarantine'],
  ]);
});

it('a project that is archived, deprecated or in a newer status is a note', async () => {
  for (const status of ['archived', 'deprecated', 'on hold']) {
    expect(await findingsOf({ projectStatus: { status } })).toEqual([
      ['deprecated', 'note', 'low', `The project a is ${status}`],
    ]);
  }
});

it('an active project and one of which nothing is known are none', async () => {
  expect(await findingsOf({ projectStatus: { status: 'active' } })).toEqual([]);
  expect(await findingsOf({})).toEqual([]);
  const unknown = packageOf('a@1.0.0', { resolution: { outcome: 'failed', reason: 'no answer' } });
  expect(await judged(factsOf(inventoryOf(lockfileOf([unknown]))))).toEqual([]);
  expect(quarantined.readsRecords).toBe(true);
});
