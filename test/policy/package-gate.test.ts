import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import { GATE_DEFAULTS, type GateCode } from '../../src/model/scan/gate.ts';
import { RULES } from '../../src/policy/catalog.ts';
import { compareReasons, decisionOf, findingReason, gateReason } from '../../src/policy/gate.ts';
import { policyFor } from '../../src/policy/policy-for.ts';

const { policy } = loadConfig({ environment: {} }).config;

const finding = (more: Partial<Finding>): Finding => ({
  fingerprint: 'f',
  rule: 'vulnerability',
  level: 'alert',
  severity: 'high',
  title: 'Something',
  package: { ecosystem: 'npm', name: 'a', version: '1.0.0', purl: 'pkg:npm/a@1.0.0', groups: [] },
  locations: [],
  ...more,
});
const advisory = (id: string) => ({ id, aliases: [], title: 'Something', url: 'https://example.com' });
const codeOf = (more: Partial<Finding>) => findingReason(finding(more), policy).code;

describe('the reasons of the gate', () => {
  it('are malware, exploited, or the severity of an advisory', () => {
    expect(codeOf({ advisory: advisory('MAL-2025-1'), severity: 'critical' })).toBe('malware');
    expect(codeOf({ advisory: advisory('GHSA-1'), severity: 'critical' })).toBe('critical');
    expect(codeOf({ advisory: advisory('GHSA-1'), severity: 'critical', kev: { listed: true } })).toBe(
      'exploited',
    );
    expect(codeOf({ advisory: advisory('GHSA-1'), severity: 'high', kev: { listed: true } })).toBe('high');
    expect(codeOf({ advisory: advisory('GHSA-1'), severity: 'unrated', countsAs: 'medium' })).toBe('medium');
    expect(codeOf({ advisory: advisory('GHSA-1'), severity: 'none' })).toBe('low');
  });

  it('name what each rule finds', () => {
    const suspicion = (signal: string, points: number) => ({
      suspicion: { score: points, reasons: [{ signal, points, text: '' }] },
    });
    expect(codeOf({ rule: 'vanished' })).toBe('vanished');
    expect(codeOf({ rule: 'quarantined' })).toBe('quarantined');
    expect(codeOf({ rule: 'unindexed', level: 'note' })).toBe('missing');
    expect(codeOf({ rule: 'licenses' })).toBe('license');
    expect(codeOf({ rule: 'suspicious', ...suspicion('burst', 4) })).toBe('suspicious');
    expect(codeOf({ rule: 'suspicious', ...suspicion('index-finding', 6) })).toBe('malware');
    expect(codeOf({ rule: 'look-alike', ...suspicion('look-alike', 2) })).toBe('look-alike');
    expect(codeOf({ rule: 'revived', ...suspicion('revived', 1) })).toBe('signal');
    // A rule that is added later is never allowed by accident.
    for (const { name } of RULES) expect(GATE_DEFAULTS).toHaveProperty([codeOf({ rule: name })]);
    expect(GATE_DEFAULTS[codeOf({ rule: 'another' }) as GateCode]).toBe('warn');
  });

  it('allow what is suppressed', () => {
    const suppressed = { id: 's', reason: 'not reachable', source: 'configuration' } as never;
    const reason = findingReason(finding({ advisory: advisory('GHSA-1'), suppressed }), policy);
    expect(reason).toMatchObject({ code: 'high', decision: 'allow', suppressed: true });
  });

  it('follow the configuration, by label', () => {
    const byLabel = [{ labels: { tier: 'pay*' }, rules: {}, gate: { high: 'block' as const } }];
    const strict = { ...policy, gate: { young: 'allow' as const }, byLabel };
    const own = policyFor(strict, { labels: { tier: 'payments' } });
    expect(findingReason(finding({ advisory: advisory('GHSA-1') }), own).decision).toBe('block');
    expect(gateReason('young', '', own).decision).toBe('allow');
    expect(gateReason('high', '', policyFor(strict, { labels: {} })).decision).toBe('warn');
  });

  it('are sorted, and the strictest decides', () => {
    const reasons = (['young', 'low', 'malware', 'high'] as const).map((code) =>
      gateReason(code, '', policy),
    );
    expect(decisionOf(reasons)).toBe('block');
    expect(reasons.sort(compareReasons).map(({ code }) => code)).toEqual(['malware', 'young', 'high', 'low']);
    expect(decisionOf([])).toBe('allow');
  });
});
