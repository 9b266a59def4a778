import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { licenseFault } from '../../src/policy/licenses.ts';
import { policyFor } from '../../src/policy/policy-for.ts';
import { licenses } from '../../src/policy/rules/licenses.ts';
import { locked } from '../jobs/facts.ts';

const ALLOW = { allow: ['MIT', 'BSD-*', 'GPL-2.0-only WITH Classpath-exception-2.0'], deny: [] };
const DENY = { deny: ['GPL-*', 'AGPL-*'] };

describe('licences that are allowed or denied', () => {
  it.each([
    ['MIT', ALLOW, undefined],
    ['BSD-3-Clause', ALLOW, undefined],
    ['MIT OR GPL-3.0-only', ALLOW, undefined],
    ['(MIT OR GPL-3.0-only) AND BSD-2-Clause', ALLOW, undefined],
    ['MIT AND GPL-3.0-only', ALLOW, { kind: 'not-allowed', licenses: ['GPL-3.0-only'] }],
    ['GPL-2.0-only WITH Classpath-exception-2.0', ALLOW, undefined],
    ['GPL-2.0-only', ALLOW, { kind: 'not-allowed', licenses: ['GPL-2.0-only'] }],
    ['non-standard', ALLOW, { kind: 'non-standard' }],
    ['SEE LICENSE IN LICENSE', ALLOW, { kind: 'non-standard' }],
    ['MIT', DENY, undefined],
    ['non-standard', DENY, undefined],
    ['GPL-3.0-or-later', DENY, { kind: 'denied', licenses: ['GPL-3.0-or-later'] }],
    ['GPL-2.0+', DENY, { kind: 'denied', licenses: ['GPL-2.0+'] }],
    ['MIT OR AGPL-3.0-only', DENY, undefined],
    ['GPL-2.0-only WITH Classpath-exception-2.0', { ...ALLOW, ...DENY }, undefined],
    ['non-standard', { deny: ['non-standard'] }, { kind: 'denied', licenses: ['non-standard'] }],
    ['MIT AND '.repeat(1_000), ALLOW, { kind: 'non-standard' }],
  ])('%s', (text, policy, fault) => {
    expect(licenseFault([text], policy)).toEqual(fault);
  });

  it('several expressions apply together, and the worst fault is named', () => {
    expect(licenseFault(['non-standard', 'GPL-3.0-only', 'MIT'], { ...ALLOW, ...DENY })).toEqual({
      kind: 'denied',
      licenses: ['GPL-3.0-only'],
    });
  });

  it('an unknown licence is a fault where licences have to be allowed', () => {
    expect(licenseFault([], ALLOW)).toEqual({ kind: 'unknown' });
    expect(licenseFault([], DENY)).toBeUndefined();
  });
});

describe('the rule', () => {
  const { policy } = configSchema.parse({
    policy: {
      licenses: { deny: ['AGPL-*'] },
      byLabel: [{ labels: { tier: 'product' }, licenses: { allow: ['MIT'] } }],
    },
  });
  const found = (stated: readonly string[] | undefined, labels: Record<string, string> = {}) => {
    const plain = locked('yaml');
    const { record } = plain.resolution;
    const resolution = {
      outcome: 'resolved' as const,
      record: stated === undefined || record === undefined ? undefined : { ...record, licenses: stated },
    };
    const judged = { ...plain, resolution };
    const facts = { policy: policyFor(policy, { labels }) };
    return licenses
      .judge({ locked: judged } as never, facts as never)
      .map(({ title, severity }) => [title, severity]);
  };

  it('judges a target by the lists for its labels', () => {
    expect(found(['ISC'])).toEqual([]);
    expect(found(['AGPL-3.0-only'])).toEqual([['yaml@1.0.0 has a denied licence: AGPL-3.0-only', undefined]]);
    expect(found(['ISC'], { tier: 'product' })).toEqual([
      ['yaml@1.0.0 has a licence that is not allowed: ISC', undefined],
    ]);
    expect(found([], { tier: 'product' })).toEqual([['yaml@1.0.0 has no known licence', 'low']]);
  });

  it('finds nothing without a record, and nothing without lists', () => {
    expect(found(undefined)).toEqual([]);
    const facts = { policy: configSchema.parse({}).policy };
    expect(licenses.judge({ locked: locked('yaml') } as never, facts as never)).toEqual([]);
  });

  it('the configuration refuses lists that say nothing', () => {
    expect(() => configSchema.parse({ policy: { licenses: {} } })).toThrow(/allowed/);
    expect(() => configSchema.parse({ policy: { licenses: { deny: ['MIT OR ISC'] } } })).toThrow(/SPDX/);
  });
});
