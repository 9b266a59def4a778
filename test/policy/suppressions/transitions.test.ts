import { describe, expect, it } from 'vitest';
import type { Routing } from '../../../src/model/alert/routing.ts';
import type { TargetState } from '../../../src/model/scan/change.ts';
import type { Finding } from '../../../src/model/scan/finding.ts';
import type { Suppression } from '../../../src/model/scan/suppression.ts';
import { TRANSITIONS } from '../../../src/model/scan/transition.ts';
import { compareFindings } from '../../../src/policy/changes.ts';
import { routeChanges } from '../../../src/policy/routing/route-changes.ts';
import { createSuppressor } from '../../../src/policy/suppressions/suppressor.ts';

const TARGET = { id: 'shop', labels: {} };
const IGNORED: Suppression = {
  id: 'ignore 1',
  source: 'command',
  reason: 'not reachable',
  advisories: ['GHSA-1'],
};

function findingOf(given: Partial<Finding> = {}): Finding {
  return {
    fingerprint: 'f',
    rule: 'vulnerability',
    level: 'alert',
    severity: 'medium',
    title: 'About it',
    package: {
      ecosystem: 'npm',
      name: 'a',
      version: '1',
      purl: 'pkg:npm/a@1',
      direct: true,
      groups: [],
    },
    locations: [{ path: 'a.json', dependencyPath: [] }],
    advisory: { id: 'GHSA-1', aliases: [], title: 'About it', url: 'https://example.com' },
    ...given,
  };
}

interface Given {
  readonly suppressions?: readonly Suppression[];
  /** The scan can neither find nor disprove it. */
  readonly unknown?: boolean;
}

/** Scans of one target, a day apart. */
function history() {
  let state: TargetState | undefined;
  let today = 0;
  return {
    async scan(findings: readonly Finding[], { suppressions = [], unknown = false }: Given = {}) {
      today += 1;
      const requestedAt = `2026-11-0${today}T00:00:00Z`;
      const judgedAt = Date.parse(requestedAt);
      const compared = await compareFindings(state, findings, {
        scan: `s${today}`,
        requestedAt,
        judgedAt,
        partial: false,
        paths: [],
        stillOpen: (finding) => (unknown ? finding : undefined),
        noteLimit: () => Number.POSITIVE_INFINITY,
        suppressor: await createSuppressor(suppressions, TARGET, { now: judgedAt, targetLimit: 'high' }),
      });
      state = { revision: today, scan: `s${today}`, requestedAt, findings: compared.tracked };
      const routed = await routeChanges(ROUTING, TARGET, compared.changes);
      return {
        transitions: compared.changes.map(({ transition }) => transition),
        reason: compared.changes[0]?.reason,
        routes: routed.map(({ rule }) => rule.name),
        tracked: compared.tracked,
      };
    },
  };
}

const ROUTING: Routing = {
  take: 'all',
  firstScan: 'all',
  rules: [
    { name: 'ordinary', mode: 'digest', rest: false, match: {} },
    { name: 'audit', mode: 'digest', rest: false, match: { transitions: TRANSITIONS } },
  ],
};
const ALL = ['ordinary', 'audit'];

describe('a finding that is suppressed', () => {
  it('after it was reported: only routes that ask learn of it, and all learn of its resolution', async () => {
    const { scan } = history();
    expect(await scan([findingOf()])).toMatchObject({ transitions: ['opened'], routes: ALL });
    expect(await scan([findingOf()], { suppressions: [IGNORED] })).toMatchObject({
      transitions: ['suppressed'],
      routes: ['audit'],
      tracked: [{ status: 'open', finding: { suppressed: { by: 'ignore 1', reason: 'not reachable' } } }],
    });
    expect(await scan([findingOf()], { suppressions: [IGNORED] })).toMatchObject({ transitions: [] });
    expect(await scan([], { suppressions: [IGNORED] })).toMatchObject({
      transitions: ['resolved'],
      routes: ALL,
    });
  });

  it('since it opened: only routes that ask learn of it and of its resolution', async () => {
    const { scan } = history();
    const suppressions = [IGNORED];
    expect(await scan([findingOf()], { suppressions })).toMatchObject({
      transitions: ['suppressed'],
      routes: ['audit'],
    });
    expect(await scan([], { suppressions })).toMatchObject({ transitions: ['resolved'], routes: ['audit'] });
    expect(await scan([findingOf()])).toMatchObject({ transitions: ['reopened'], routes: ALL });
  });

  it('does not report that it worsened', async () => {
    const { scan } = history();
    const suppressions = [IGNORED];
    await scan([findingOf()], { suppressions });
    const worse = await scan([findingOf({ severity: 'critical' })], { suppressions });
    expect(worse).toMatchObject({ transitions: [], tracked: [{ finding: { severity: 'critical' } }] });
  });

  it('opens again when the suppression expires, and says why', async () => {
    const { scan } = history();
    const suppressions = [{ ...IGNORED, expires: '2026-11-03T00:00:00Z' }];
    await scan([findingOf()], { suppressions });
    await scan([findingOf()], { suppressions });
    const after = await scan([findingOf()], { suppressions });
    expect(after).toMatchObject({
      transitions: ['reopened'],
      routes: ALL,
      reason: 'its suppression expired at 2026-11-03T00:00:00Z: not reachable (ignore 1)',
      tracked: [{ status: 'open', openedAt: '2026-11-01T00:00:00Z', changedAt: '2026-11-03T00:00:00Z' }],
    });
    expect(after.tracked[0]).not.toHaveProperty('unreported');
    expect(after.tracked[0]?.finding).not.toHaveProperty('suppressed');
    expect(await scan([findingOf()], { suppressions })).toMatchObject({ transitions: [] });
  });

  it('opens again when the suppression is removed', async () => {
    const { scan } = history();
    await scan([findingOf()], { suppressions: [IGNORED] });
    expect(await scan([findingOf()])).toMatchObject({
      transitions: ['reopened'],
      reason: 'no longer suppressed by ignore 1: not reachable',
    });
  });

  it('opens again although the scan could not look for it', async () => {
    const { scan } = history();
    const suppressions = [{ ...IGNORED, expires: '2026-11-02T00:00:00Z' }];
    await scan([findingOf()], { suppressions });
    const blind = await scan([], { suppressions, unknown: true });
    expect(blind).toMatchObject({ transitions: ['reopened'], routes: ALL });
  });

  it('is suppressed although the scan could not look for it', async () => {
    const { scan } = history();
    await scan([findingOf()]);
    const blind = await scan([], { suppressions: [IGNORED], unknown: true });
    expect(blind).toMatchObject({ transitions: ['suppressed'], routes: ['audit'] });
  });

  it('as a note is never sent', async () => {
    const { scan } = history();
    const note = findingOf({ level: 'note' });
    expect(await scan([note], { suppressions: [IGNORED] })).toMatchObject({ routes: [] });
    expect(await scan([note])).toMatchObject({ transitions: ['reopened'], routes: [] });
  });
});
