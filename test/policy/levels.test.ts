import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { ResolvedPackage } from '../../src/model/scan/inventory.ts';
import type { Policy } from '../../src/model/scan/policy.ts';
import { compareFindings } from '../../src/policy/changes.ts';
import { noteLimitOf } from '../../src/policy/judge.ts';
import {
  affected,
  factsOf,
  findingsOf,
  inventoryOf,
  lockfileOf,
  POLICY,
  packageOf,
  resolved,
} from './facts.ts';

const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T00:00:00Z`;

const whole = { partial: false, paths: [], stillOpen: () => undefined };

const fine = packageOf('a@1');
const deprecated = packageOf('a@1', { resolution: resolved('a', '1', { isDeprecated: true }) });
const unindexed = packageOf('a@1', { resolution: { outcome: 'missing' } });
const vanished = packageOf('a@1', { resolution: { outcome: 'missing', seenBefore: true } });

function policyOf(given: object): Policy {
  return configSchema.parse({ policy: given }).policy;
}

/** Scans on given days; returns one line for each change and finding. */
function history(policy: Policy = POLICY, start?: TargetState) {
  let state = start;
  return async (on: number, locked: ResolvedPackage, settings: Policy = policy) => {
    const findings = await findingsOf(factsOf(inventoryOf(lockfileOf([locked])), { policy: settings }));
    const compared = await compareFindings(state, findings, {
      scan: `s${on}`,
      requestedAt: day(on),
      ...whole,
      noteLimit: noteLimitOf(settings),
    });
    state = { revision: on, scan: `s${on}`, requestedAt: day(on), findings: compared.tracked };
    const line = ({ rule, level, severity }: Finding) => `${rule} ${level} ${severity}`;
    return {
      changes: compared.changes.map(({ transition, finding }) => `${transition} ${line(finding)}`),
      findings: compared.findings.map(line),
    };
  };
}

describe('a version that is not in the index', () => {
  it('is a note, and an alert after policy.unindexedAfter', async () => {
    const scan = history();
    expect((await scan(1, unindexed)).changes).toEqual(['opened unindexed note medium']);
    expect(await scan(15, unindexed)).toEqual({ changes: [], findings: ['unindexed note medium'] });
    expect((await scan(16, unindexed)).changes).toEqual(['opened unindexed alert medium']);
    expect(await scan(17, unindexed)).toEqual({ changes: [], findings: ['unindexed alert medium'] });
    expect((await scan(18, fine)).changes).toEqual(['resolved unindexed alert medium']);
  });

  it('counts the time of each version separately', async () => {
    const scan = history(policyOf({ unindexedAfter: '3d', rules: { unindexed: { severity: 'high' } } }));
    const next = packageOf('a@2', { resolution: { outcome: 'missing' } });
    await scan(1, unindexed);
    expect((await scan(4, next)).changes).toEqual([
      'resolved unindexed note high',
      'opened unindexed note high',
    ]);
    expect((await scan(7, next)).changes).toEqual([]);
    expect((await scan(8, next)).changes).toEqual(['opened unindexed alert high']);
  });

  it('has vanished when the index had it before: an immediate alert', async () => {
    const scan = history();
    expect((await scan(1, fine)).changes).toEqual([]);
    expect((await scan(2, vanished)).changes).toEqual(['opened vanished alert high']);
    expect((await scan(3, fine)).changes).toEqual(['resolved vanished alert high']);
  });
});

describe('the level of a rule', () => {
  it('is off, note or alert, with a severity, from the configuration', async () => {
    const level = (value: string) => policyOf({ rules: { deprecated: { level: value, severity: 'high' } } });
    expect((await history(level('off'))(1, deprecated)).findings).toEqual([]);
    expect((await history(level('note'))(1, deprecated)).findings).toEqual(['deprecated note high']);
    expect((await history(level('alert'))(1, deprecated)).findings).toEqual(['deprecated alert high']);
  });

  it('is not lowered for findings that alerted: receivers are notified of their resolution', async () => {
    const scan = history();
    await scan(1, deprecated, policyOf({ rules: { deprecated: { level: 'alert' } } }));
    expect(await scan(2, deprecated)).toEqual({ changes: [], findings: ['deprecated alert low'] });
    expect((await scan(3, fine)).changes).toEqual(['resolved deprecated alert low']);
    expect((await scan(4, deprecated)).changes).toEqual(['reopened deprecated note low']);
  });

  it('is opened for receivers when it is raised', async () => {
    const scan = history();
    await scan(1, deprecated);
    const raised = policyOf({ rules: { deprecated: { level: 'alert' } } });
    expect((await scan(2, deprecated, raised)).changes).toEqual(['opened deprecated alert low']);
  });
});

describe('an unrated advisory', () => {
  const bad = affected('a@1', ['GHSA-1']);
  const findingsWith = (unknownSeverity: string) =>
    findingsOf(factsOf(inventoryOf(lockfileOf([bad])), { policy: policyOf({ unknownSeverity }) }));

  it('stays unrated and counts as policy.unknownSeverity', async () => {
    expect(await findingsWith('high')).toMatchObject([{ severity: 'unrated', countsAs: 'high' }]);
    expect(await findingsOf(factsOf(inventoryOf(lockfileOf([bad]))))).toMatchObject([{ countsAs: 'medium' }]);
  });

  it('that counts as more severe than before is not a change', async () => {
    const scan = history(policyOf({ unknownSeverity: 'low' }));
    await scan(1, bad);
    expect((await scan(2, bad, policyOf({ unknownSeverity: 'critical' }))).changes).toEqual([]);
  });
});
