import { describe, expect, it } from 'vitest';
import type { Signal } from '../../../src/model/signal/inspection.ts';
import type { ReleaseFacts } from '../../../src/model/signal/release-facts.ts';
import { signalsOf } from '../../../src/policy/signals/evaluate.ts';
import { at, attested, DAY, detailOf, factsOf, POLICY, releasesOf } from './release-facts.ts';

/** `signal/grade` of everything that is found. */
function found(facts: ReleaseFacts): readonly string[] {
  return signalsOf(facts, POLICY, undefined).map(({ signal, grade }) =>
    grade === undefined ? signal : `${signal}/${grade}`,
  );
}

const STEADY = {
  '1.0.0': '2026-01-01T00:00:00Z',
  '1.1.0': '2026-02-01T00:00:00Z',
  '1.2.0': '2026-03-01T00:00:00Z',
  '1.3.0': '2026-04-01T00:00:00Z',
};

function details(versions: Readonly<Record<string, ReturnType<typeof detailOf>>>) {
  return new Map(Object.entries(versions));
}

describe('the detectors', () => {
  it('raise nothing without facts', () => {
    expect(found(factsOf('left-pad@1.3.0', {}, { releases: [], at: at('2026-04-02T00:00:00Z') }))).toEqual(
      [],
    );
    expect(found(factsOf('left-pad@1.3.0', STEADY, { at: at('2026-04-10T00:00:00Z') }))).toEqual([]);
  });
});

describe('fresh-release', () => {
  it('ends with the minimum age', () => {
    const facts = factsOf('left-pad@1.3.0', STEADY, { at: at('2026-04-03T23:59:59Z') });
    expect(found(facts)).toEqual(['fresh-release']);
    expect(found({ ...facts, at: at('2026-04-04T00:00:00Z') })).toEqual([]);
    const [signal] = signalsOf({ ...facts, at: at('2026-04-01T09:00:00Z') }, POLICY, undefined);
    expect(signal?.text).toBe('was published 9 hours ago (2026-04-01 00:00 UTC)');
  });
});

describe('provenance-lost', () => {
  const before = { '1.0.0': attested(), '1.1.0': attested(), '1.2.0': attested() };

  it.each([
    ['none', detailOf(), ['provenance-lost/missing', 'fresh-release']],
    ['a valid one', attested(), ['fresh-release']],
    ['another form of the address', attested('git+https://github.com/Acme/left-pad.git'), ['fresh-release']],
    [
      'one that does not verify',
      detailOf({ provenances: [{ verified: false, sourceRepository: 'https://github.com/acme/left-pad' }] }),
      ['provenance-lost/unverified', 'fresh-release'],
    ],
    [
      'another repository',
      attested('https://github.com/mallory/x'),
      ['provenance-lost/other-repository', 'fresh-release'],
    ],
  ])('compares %s with the versions before', (_, own, expected) => {
    const facts = factsOf('left-pad@1.3.0', STEADY, { details: details({ ...before, '1.3.0': own }) });
    expect(found(facts)).toEqual(expected);
  });

  it('is silent on a line that never had one, although a newer line has', () => {
    const times = {
      '6.3.0': '2022-01-01T00:00:00Z',
      '7.5.2': '2023-06-15T00:00:00Z',
      '7.5.3': '2023-06-22T00:00:00Z',
      '6.3.1': '2023-07-10T00:00:00Z',
    };
    const facts = factsOf('semver@6.3.1', times, {
      details: details({
        '6.3.0': detailOf(),
        '7.5.2': attested(),
        '7.5.3': attested(),
        '6.3.1': detailOf(),
      }),
    });
    expect(found(facts)).not.toContain('provenance-lost/missing');
  });

  it('needs the details of the version', () => {
    expect(found(factsOf('left-pad@1.3.0', STEADY, { details: details(before) }))).toEqual(['fresh-release']);
  });
});

describe('young-requirement', () => {
  const requiring = (given: Partial<ReleaseFacts>) =>
    found(factsOf('axios@1.3.0', STEADY, { comparedWith: '1.2.0', ...given }));

  it.each([
    [
      'a package of the day before',
      {
        newRequirements: [
          {
            name: 'plain-crypto-js',
            requirement: '^4.2.1',
            releases: releasesOf({ '4.2.0': '2026-03-31T06:00:00Z' }),
          },
        ],
      },
      'package',
    ],
    [
      'a package that came after it',
      {
        newRequirements: [
          {
            name: 'plain-crypto-js',
            requirement: '^4.2.1',
            releases: releasesOf({ '4.2.0': '2026-04-01T00:30:00Z' }),
          },
        ],
      },
      'package',
    ],
    [
      'a package of its own scope',
      {
        key: { system: 'NPM', name: '@a/b', version: '1.3.0' },
        newRequirements: [
          { name: '@a/c', requirement: '1', releases: releasesOf({ '1.0.0': '2026-04-01T00:00:00Z' }) },
        ],
      },
      'scope',
    ],
    [
      'a package that the index does not have',
      { newRequirements: [{ name: 'x', requirement: '1', releases: undefined }] },
      'unknown',
    ],
    ['a commit', { newRequirements: [{ name: 'x', requirement: 'github:a/b#79ac' }] }, 'address'],
    ['a URL', { newRequirements: [{ name: 'x', requirement: 'https://example.test/x.tgz' }] }, 'address'],
  ] as const)('is %s', (_, given, grade) => {
    expect(requiring(given)).toEqual([`young-requirement/${grade}`, 'fresh-release']);
  });

  it('is not an established package, nor one that was not looked up', () => {
    const old = { name: 'ms', requirement: '^2', releases: releasesOf({ '2.0.0': '2017-05-16T00:00:00Z' }) };
    expect(requiring({ newRequirements: [old, { name: 'y', requirement: '1' }] })).toEqual(['fresh-release']);
  });

  it('says what is required and since when', () => {
    const [signal] = signalsOf(
      factsOf('axios@1.3.0', STEADY, {
        comparedWith: '1.2.0',
        newRequirements: [
          {
            name: 'plain-crypto-js',
            requirement: '^4.2.1',
            releases: releasesOf({ '4.2.0': '2026-03-31T06:00:00Z' }),
          },
        ],
      }),
      POLICY,
      undefined,
    );
    expect(signal?.text).toBe(
      'requires plain-crypto-js, which was first published 18 hours before it; 1.2.0 did not require it',
    );
  });
});

describe('burst', () => {
  const OLD = { '1.2.8': '2018-01-01T00:00:00Z', '2.2.0': '2018-02-01T00:00:00Z' };

  it('is versions of two lines within minutes', () => {
    const times = {
      ...STEADY,
      '2.0.0': '2026-04-15T00:00:00Z',
      '1.3.1': '2026-05-01T00:00:00Z',
      '2.0.1': '2026-05-01T00:07:00Z',
    };
    expect(found(factsOf('rc@1.3.1', times))).toContain('burst/plain');
    const more = { ...times, '2.0.2': '2026-05-01T00:20:00Z', '1.3.2': '2026-05-01T01:00:00Z' };
    expect(found(factsOf('rc@1.3.1', more))).toContain('burst/strong');
    const lines = { ...times, '3.1.0': '2026-05-01T00:20:00Z' };
    expect(found(factsOf('rc@1.3.1', lines))).toContain('burst/strong');
    // A person who repairs several lines takes longer.
    const slow = { ...times, '3.1.0': '2026-05-01T01:15:00Z' };
    for (const version of ['1.3.1', '2.0.1', '3.1.0']) {
      expect(found(factsOf(`rc@${version}`, slow))).toContain('burst/plain');
    }
    expect(found(factsOf('rc@2.0.1', { ...times, '2.0.1': '2026-05-01T00:39:00Z' }))).toContain(
      'burst/plain',
    );
    expect(found(factsOf('rc@2.0.1', { ...times, '2.0.1': '2026-05-01T03:00:00Z' }))).toEqual([
      'fresh-release',
    ]);
  });

  it('is many versions after years of silence', () => {
    const times = {
      ...OLD,
      '1.2.9': '2022-05-14T19:18:00Z',
      '1.2.10': '2022-05-14T23:52:00Z',
      '1.2.11': '2022-05-15T00:17:00Z',
    };
    expect(found(factsOf('ctx@1.2.11', times))).toEqual(['burst/flurry', 'revived/package', 'fresh-release']);
  });

  it('is the strongest of what it may be', () => {
    const times = {
      '1.2.8': '2019-01-01T00:00:00Z',
      '1.3.0': '2020-01-01T00:00:00Z',
      '2.0.0': '2021-02-01T00:00:00Z',
      '1.3.1': '2026-05-01T00:00:00Z',
      '2.0.1': '2026-05-01T01:30:00Z',
      '2.0.2': '2026-05-01T07:00:00Z',
    };
    expect(found(factsOf('coa@1.3.1', times))).toContain('burst/flurry');
    expect(found(factsOf('coa@2.0.2', times))).toContain('burst/flurry');
  });

  it('is not the last version of a line with the first of the next', () => {
    const times = { ...STEADY, '1.3.1': '2026-05-01T00:00:00Z', '2.0.0': '2026-05-01T00:05:00Z' };
    expect(found(factsOf('a@2.0.0', times))).toEqual(['fresh-release']);
  });

  it('is not a habit', () => {
    const times: Record<string, string> = {};
    for (const [index, month] of ['01', '02', '03', '04'].entries()) {
      times[`18.0.${index}`] = `2026-${month}-10T10:00:00Z`;
      times[`19.0.${index}`] = `2026-${month}-10T10:20:00Z`;
    }
    expect(found(factsOf('angular@19.0.3', times))).toEqual(['fresh-release']);
    expect(found(factsOf('angular@19.0.1', times))).toContain('burst/plain');
  });

  it('is not a fix: an advisory affects the version before and not this one', () => {
    const times = {
      ...STEADY,
      '2.0.0': '2026-04-15T00:00:00Z',
      '1.3.1': '2026-05-01T00:00:00Z',
      '2.0.1': '2026-05-01T00:07:00Z',
    };
    const affected = detailOf({ advisoryIds: ['GHSA-1'] });
    const fixed = details({ '1.3.0': affected, '1.3.1': detailOf() });
    expect(found(factsOf('rc@1.3.1', times, { details: fixed }))).toEqual(['fresh-release']);
    const still = details({ '1.3.0': affected, '1.3.1': affected });
    expect(found(factsOf('rc@1.3.1', times, { details: still }))).toContain('burst/plain');
  });
});

describe('revived', () => {
  it('is a release after years, and a replaced line', () => {
    expect(
      found(factsOf('a@1.0.1', { '1.0.0': '2019-01-01T00:00:00Z', '1.0.1': '2026-01-01T00:00:00Z' })),
    ).toEqual(['revived/package', 'fresh-release']);
    const line = {
      '4.0.0': '2019-01-01T00:00:00Z',
      '5.0.0': '2020-01-01T00:00:00Z',
      '5.1.0': '2025-12-01T00:00:00Z',
      '4.0.1': '2026-01-01T00:00:00Z',
    };
    expect(found(factsOf('a@4.0.1', line))).toEqual(['revived/line', 'fresh-release']);
    const second = { ...line, '4.0.2': '2026-01-01T00:10:00Z' };
    expect(found(factsOf('a@4.0.2', second))).toEqual(['revived/line', 'fresh-release']);
    const later = { ...second, '4.0.3': '2026-02-01T00:00:00Z' };
    expect(found(factsOf('a@4.0.3', later))).toEqual(['fresh-release']);
    expect(found(factsOf('a@5.1.1', { ...line, '5.1.1': '2026-01-02T00:00:00Z' }))).toEqual([
      'fresh-release',
    ]);
  });
});

describe('install-script', () => {
  it('is a script that versions before did not have, by what lockfiles state', () => {
    expect(found(factsOf('a@1.3.0', STEADY, { hasNewScript: true }))).toEqual([
      'install-script',
      'fresh-release',
    ]);
    expect(found(factsOf('a@1.3.0', STEADY, { hasNewScript: false }))).toEqual(['fresh-release']);
  });
});

describe('pulled-siblings', () => {
  const years = ['2021', '2022', '2023', '2024'].map(
    (year, index) => [`0.3.${index + 4}`, `${year}-09-14T00:00:00Z`] as const,
  );
  const releases = (pulled: readonly string[]) =>
    [...releasesOf(Object.fromEntries(years)), ...releasesOf({ '0.3.8': '2025-12-20T07:15:00Z' })].map(
      (one) => ({
        ...one,
        isDeprecated: pulled.includes(one.version),
      }),
    );

  it('is several old versions just before', () => {
    expect(found(factsOf('arrayref@0.3.8', {}, { releases: releases(['0.3.6', '0.3.7']) }))).toEqual([
      'pulled-siblings',
      'fresh-release',
    ]);
    expect(found(factsOf('arrayref@0.3.8', {}, { releases: releases(['0.3.7']) }))).toEqual([
      'fresh-release',
    ]);
    expect(found(factsOf('arrayref@0.3.8', {}, { releases: releases(['0.3.4', '0.3.5']) }))).toEqual([
      'fresh-release',
    ]);
  });

  it('is not a package that deprecates everything old', () => {
    const all = releases(years.map(([version]) => version));
    expect(found(factsOf('atomicwrites@0.3.8', {}, { releases: all }))).toEqual(['fresh-release']);
  });
});

describe('source-moved', () => {
  it('is another project than that of all versions before', () => {
    const own = (project: string) =>
      details({
        '1.2.0': detailOf({ projects: ['github.com/a/b'] }),
        '1.3.0': detailOf({ projects: [project] }),
      });
    expect(found(factsOf('a@1.3.0', STEADY, { details: own('github.com/mallory/b') }))).toEqual([
      'source-moved',
      'fresh-release',
    ]);
    expect(found(factsOf('a@1.3.0', STEADY, { details: own('github.com/a/b') }))).toEqual(['fresh-release']);
  });
});

describe('withdrawn', () => {
  const releases = releasesOf(STEADY).map((one) => ({
    ...one,
    isDeprecated: one.version === '1.3.0',
    isDefault: one.version === '1.2.0',
  }));

  it('is a deprecation within days, and stronger when an older version is the default again', () => {
    expect(found(factsOf('a@1.3.0', {}, { releases }))).toEqual([
      'withdrawn/default-moved-back',
      'fresh-release',
    ]);
    expect(found(factsOf('a@1.3.0', {}, { releases, at: at('2026-05-01T00:00:00Z') }))).toEqual([]);
  });

  it('is not the deprecation of a whole package that is old', () => {
    const all = releases.map((one) => ({ ...one, isDeprecated: true, isDefault: one.version === '1.3.0' }));
    expect(found(factsOf('a@1.3.0', {}, { releases: all }))).toEqual(['fresh-release']);
    const partly = all.map((one) => ({ ...one, isDeprecated: one.version !== '1.0.0' }));
    expect(found(factsOf('a@1.3.0', {}, { releases: partly }))).toEqual(['withdrawn/plain', 'fresh-release']);
    const young = all.slice(-1);
    expect(found(factsOf('a@1.3.0', {}, { releases: young }))).toContain('withdrawn/plain');
  });
});

describe('index-finding', () => {
  const old = { at: at('2026-04-10T00:00:00Z') };
  const said = (...serviceFindings: NonNullable<ReleaseFacts['serviceFindings']>) =>
    factsOf('left-pad@1.3.0', STEADY, { ...old, serviceFindings });

  it.each([
    ['MALICIOUS', 'RISK_CRITICAL', 'malicious'],
    ['MALICIOUS', '', 'malicious'],
    ['NEWER', 'RISK_CRITICAL', 'critical'],
    ['NEWER', 'RISK_HIGH', 'high'],
    ['NEWER', 'RISK_NEWER', 'other'],
    ['NEWER', 'RISK_INFORMATIONAL', 'informational'],
  ])('%s with %s is %s', (type, risk, grade) => {
    expect(found(said({ type, risk }))).toEqual([`index-finding/${grade}`]);
  });

  it('names the words of the index, the worst kind first, and no more than a few', () => {
    const many = ['A', 'B', 'C', 'D', 'E'].map((type) => ({ type, risk: 'RISK_HIGH' }));
    const [signal] = signalsOf(
      said(...many, { type: 'MALICIOUS', risk: 'RISK_CRITICAL' }),
      POLICY,
      undefined,
    );
    expect(signal).toEqual({
      signal: 'index-finding',
      grade: 'malicious',
      text: 'is reported by the index: A (RISK_HIGH), B (RISK_HIGH), C (RISK_HIGH) and 3 more',
    });
  });

  it('is nothing that other rules determine, nor malware of a known advisory', () => {
    const types = ['NOT_FOUND', 'DEPRECATED', 'VULNERABLE', 'LOW_USAGE', 'COOLDOWN', 'REMEDIATION'];
    expect(found(said(...types.map((type) => ({ type, risk: 'RISK_CRITICAL' }))))).toEqual([]);
    const known = details({ '1.3.0': detailOf({ advisoryIds: ['MAL-2026-1'] }) });
    const malicious = said({ type: 'MALICIOUS', risk: 'RISK_CRITICAL' });
    expect(found({ ...malicious, details: known })).toEqual([]);
    expect(
      found({ ...malicious, details: details({ '1.3.0': detailOf({ advisoryIds: ['GHSA-1'] }) }) }),
    ).toEqual(['index-finding/malicious']);
  });

  it('stays while it is not known, and is gone when the index no longer says it', () => {
    const signals = signalsOf(said({ type: 'MALICIOUS', risk: '' }), POLICY, undefined);
    const before = { inspectedAt: '', signals: [...signals], unknown: [] };
    expect(signalsOf(factsOf('left-pad@1.3.0', STEADY, old), POLICY, before)).toEqual(signals);
    expect(signalsOf(said(), POLICY, before)).toEqual([]);
  });
});

describe('a cooldown of the index', () => {
  it('is fresh until it ends, also of a version without a date', () => {
    const cooldownEnd = at('2026-04-20T00:00:00Z');
    const facts = {
      at: at('2026-04-10T00:00:00Z'),
      details: details({ '1.3.0': detailOf({ cooldownEnd }) }),
    };
    const [signal] = signalsOf(factsOf('left-pad@1.3.0', STEADY, facts), POLICY, undefined);
    expect(signal?.text).toBe(
      'was published 9 days ago (2026-04-01 00:00 UTC), and the index advises to wait until 2026-04-20 00:00 UTC',
    );
    const [undated] = signalsOf(factsOf('left-pad@1.3.0', {}, { ...facts, releases: [] }), POLICY, undefined);
    expect(undated?.text).toBe('is so new that the index advises to wait until 2026-04-20 00:00 UTC');
    expect(found(factsOf('left-pad@1.3.0', STEADY, { ...facts, at: cooldownEnd }))).toEqual([]);
  });
});

describe('look-alike', () => {
  it('takes the word of the index for what is used more', () => {
    const known = { '1.0.0': '2025-01-01T00:00:00Z', '1.3.0': '2026-04-01T00:00:00Z' };
    const serviceFindings = [{ type: 'LOW_USAGE', risk: 'RISK_MEDIUM', alternatives: ['left-pad', 'other'] }];
    const later = { at: at('2026-04-10T00:00:00Z'), isNewDirect: true, serviceFindings };
    const [signal] = signalsOf(factsOf('leftpad@1.3.0', known, later), POLICY, undefined);
    expect(signal).toEqual({
      signal: 'look-alike',
      grade: 'near',
      text: 'has a name like left-pad and is hardly used; the index names it as the one that is used more',
    });
    expect(found(factsOf('leftpad@1.3.0', known, { ...later, dependents: 900 }))).toEqual([]);
    expect(found(factsOf('leftpad@1.3.0', known, { ...later, isNewDirect: false }))).toEqual([]);
    expect(found(factsOf('leftpad@1.3.0', known, { ...later, serviceFindings: [] }))).toEqual([]);
    const none = [{ type: 'LOW_USAGE', risk: 'RISK_MEDIUM' }];
    expect(found(factsOf('leftpad@1.3.0', known, { ...later, serviceFindings: none }))).toEqual([]);
  });

  const young = { '1.23.1': '2026-03-25T00:00:00Z' };
  const given = { isNewDirect: true, dependents: 0, similar: [{ name: 'rust_decimal', dependents: 900 }] };

  it('is none where it is not known how much the other one is used', () => {
    const similar = [{ name: 'rust_decimal', isUnknown: true as const }];
    expect(found(factsOf('rustdecimal@1.23.1', young, { ...given, similar }))).toEqual(['fresh-release']);
  });

  it('is a young package with nearly the name of one that is far more used', () => {
    expect(found(factsOf('rustdecimal@1.23.1', young, given))).toEqual([
      'look-alike/near-young',
      'fresh-release',
    ]);
    expect(found(factsOf('rustdecimal@1.23.1', young, { ...given, isNewDirect: false }))).toEqual([
      'fresh-release',
    ]);
    expect(
      found(
        factsOf('rustdecimal@1.23.1', young, {
          ...given,
          similar: [{ name: 'rust_decimal', dependents: 20 }],
        }),
      ),
    ).toEqual(['fresh-release']);
    expect(found(factsOf('rustdecimal@1.23.1', young, { ...given, dependents: 40 }))).toEqual([
      'fresh-release',
    ]);
    expect(found(factsOf('money@1.23.1', young, given))).toEqual(['look-alike/far', 'fresh-release']);
  });

  it.each([
    ['GO', 'github.com/boltdb-go/bolt', 'github.com/boltdb/bolt', 'near-young'],
    ['GO', 'github.com/shopsprint/decimal', 'github.com/shopspring/decimal', 'near-young'],
    ['GO', 'github.com/golang-jwt/jwt', 'github.com/dgrijalva/jwt-go', 'far'],
    ['GO', 'github.com/gofrs/uuid', 'github.com/satori/uuid', 'far'],
    [
      'MAVEN',
      'org.fasterxml.jackson.core:jackson-databind',
      'com.fasterxml.jackson.core:jackson-databind',
      'near-young',
    ],
    ['NUGET', 'tracer.fody.nlog', 'tracer.nlog.fody', 'near-young'],
    ['CARGO', 'proc-macro1', 'proc-macro2', 'near-young'],
    ['NPM', 'ms2', 'ms', 'far'],
  ] as const)('compares names of %s: %s', (system, name, other, grade) => {
    const facts = factsOf('x@1.0.0', { '1.0.0': '2026-03-25T00:00:00Z' });
    const own = {
      ...facts,
      key: { system, name, version: '1.0.0' },
      isNewDirect: true,
      similar: [{ name: other }],
    };
    expect(found(own)[0]).toBe(`look-alike/${grade}`);
  });
});

describe('integrity-mismatch', () => {
  const digest = 'sha512-abc';
  const key = { system: 'NPM', name: 'left-pad', version: '1.3.0' } as const;
  const old = { at: at('2026-04-01T00:00:00Z') + 30 * DAY };
  const stated = (given: Partial<ReleaseFacts>) =>
    found(factsOf('left-pad@1.3.0', STEADY, { ...old, ...given }));

  it('is the digest of another version', () => {
    expect(stated({ digests: [{ digest, versions: [key] }] })).toEqual([]);
    expect(stated({ digests: [{ digest, versions: [{ ...key, version: '1.2.0' }] }] })).toEqual([
      'integrity-mismatch/foreign',
    ]);
  });

  it('is an unknown digest only where the index knows such digests', () => {
    const digests = [{ digest, versions: undefined }];
    expect(stated({ digests })).toEqual([]);
    expect(stated({ digests, knowsDigests: true })).toEqual(['integrity-mismatch/unknown']);
    expect(stated({ digests, knowsDigests: true, at: at('2026-04-02T00:00:00Z') })).toEqual([
      'fresh-release',
    ]);
    expect(stated({ digests: [...digests, { digest, versions: [key] }], knowsDigests: true })).toEqual([]);
  });
});

describe('capability-gained', () => {
  const of = (...names: readonly string[]) =>
    names.map((name) => ({ name: `CAPABILITY_${name}`, direct: 1, indirect: 0 }));

  it.each([
    [of('FILES'), of('FILES'), []],
    [of('FILES'), of('FILES', 'NETWORK'), ['capability-gained/serious', 'fresh-release']],
    [of(), of('NETWORK', 'EXEC'), ['capability-gained/network-and-exec', 'fresh-release']],
    [of(), of('CGO'), ['capability-gained/other', 'fresh-release']],
    [of(), of('REFLECT'), []],
  ])('compares %j with %j', (capabilitiesBefore, capabilities, expected) => {
    const facts = factsOf('a@1.3.0', STEADY, { capabilities, capabilitiesBefore });
    expect(found(facts)).toEqual(expected.length === 0 ? ['fresh-release'] : expected);
  });
});

describe('a repeated inspection', () => {
  it('keeps that a version was locked while it was fresh, and what only the first one saw', () => {
    const facts = factsOf('left-pad@1.3.0', STEADY, {
      digests: [{ digest: 'sha512-a', versions: [{ system: 'NPM', name: 'x', version: '1' }] }],
    });
    const first = signalsOf(facts, POLICY, undefined);
    const { digests: _, ...later } = { ...facts, at: facts.at + 10 * DAY };
    const second = signalsOf(later, POLICY, { inspectedAt: '', signals: first, unknown: [] });
    expect(second.map(({ signal, past }) => [signal, past])).toEqual([
      ['integrity-mismatch', undefined],
      ['fresh-release', true],
    ]);
  });

  it('keeps the digests of other targets', () => {
    const other = { system: 'NPM', name: 'x', version: '1' } as const;
    const of = (target: string, name: string, before: readonly Signal[]) =>
      signalsOf(
        factsOf('left-pad@1.3.0', STEADY, {
          at: at('2026-05-01T00:00:00Z'),
          target,
          digests: [{ digest: 'sha512-a', versions: [{ ...other, name, version: '1.3.0' }] }],
        }),
        POLICY,
        { inspectedAt: '', signals: before, unknown: [] },
      );
    const one = of('one', 'x', []);
    const both = of('two', 'x', one);
    expect(both.map(({ target }) => target)).toEqual(['two', 'one']);
    expect(of('one', 'left-pad', both).map(({ target }) => target)).toEqual(['two']);
    expect(of('three', 'left-pad', both)).toEqual(both);
  });

  it('keeps a young requirement whose age cannot be had any more', () => {
    const required = { name: 'plain-crypto-js', requirement: '^4.2.1' };
    const facts = (given: object) =>
      factsOf('axios@1.3.0', STEADY, { comparedWith: '1.2.0', newRequirements: [{ ...required, ...given }] });
    const young = facts({ releases: releasesOf({ '4.2.0': '2026-03-31T06:00:00Z' }) });
    const signals = signalsOf(young, POLICY, undefined);
    const before = { inspectedAt: '', signals: [...signals], unknown: [] };
    expect(signalsOf(facts({}), POLICY, before)).toEqual(signals);
    const old = facts({ releases: releasesOf({ '4.2.0': '2020-03-31T06:00:00Z' }) });
    expect(signalsOf(old, POLICY, before).map(({ signal }) => signal)).toEqual(['fresh-release']);
  });

  it.each<[string, Partial<ReleaseFacts>]>([
    ['nothing', {}],
    ['how much the other one', { dependents: 0, similar: [{ name: 'left-pad', isUnknown: true }] }],
    ['the list of its versions', { dependents: 0, similar: [], releases: [] }],
  ])('keeps that a name looks like another one where it is not known: %s', (_, unknown) => {
    const facts = (given: Partial<ReleaseFacts>) =>
      factsOf('leftpad@1.3.0', STEADY, { isNewDirect: true, at: at('2026-05-01T00:00:00Z'), ...given });
    const like = facts({ dependents: 0, similar: [{ name: 'left-pad', dependents: 900 }] });
    const signals = signalsOf(like, POLICY, undefined);
    expect(signals.map(({ signal }) => signal)).toEqual(['look-alike']);
    const before = { inspectedAt: '', signals: [...signals], unknown: [] };
    expect(signalsOf(facts(unknown), POLICY, before)).toEqual(signals);
    expect(signalsOf(facts({ dependents: 900 }), POLICY, before)).toEqual([]);
  });

  it('notices requirements that changed', () => {
    const facts = factsOf('a@1.3.0', STEADY, { requirements: 'a', requirementsBefore: 'b' });
    expect(found(facts)).toEqual(['dependency-changed', 'fresh-release']);
    expect(found({ ...facts, requirementsBefore: 'a' })).toEqual(['fresh-release']);
  });
});
