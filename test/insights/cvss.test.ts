import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cvssBaseScore } from '../../src/model/advisories/cvss.ts';

/** Each metric's values from the least to the most severe. */
const METRICS = {
  AV: 'PLAN',
  AC: 'HL',
  PR: 'HLN',
  UI: 'RN',
  C: 'NLH',
  I: 'NLH',
  A: 'NLH',
} as const;
type Metric = keyof typeof METRICS;
const NAMES = Object.keys(METRICS) as Metric[];

const vectors = fc.record({
  ...(Object.fromEntries(NAMES.map((name) => [name, fc.nat(METRICS[name].length - 1)])) as Record<
    Metric,
    fc.Arbitrary<number>
  >),
  S: fc.constantFrom('U', 'C'),
});

function format(values: Record<Metric, number> & { S: string }): string {
  return `CVSS:3.1/S:${values.S}/${NAMES.map((name) => `${name}:${METRICS[name][values[name]]}`).join('/')}`;
}

describe('the base score', () => {
  it.each([
    ['AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
    ['AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
    ['AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H', 8.8],
    ['AV:A/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 8.8],
    ['AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:H', 8.6],
    ['AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H', 7.8],
    ['AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H', 7.5],
    ['AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N', 7.4],
    ['AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L', 7.3],
    ['AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H', 7.2],
    ['AV:N/AC:L/PR:H/UI:N/S:C/C:H/I:H/A:H', 9.1],
    ['AV:P/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 6.8],
    ['AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4],
    ['AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
    ['AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:L/A:N', 5.3],
    ['AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1],
    ['AV:L/AC:H/PR:L/UI:N/S:U/C:L/I:N/A:N', 2.5],
    ['AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
  ])('of %s is %d, in 3.0 and 3.1', (metrics, score) => {
    expect(cvssBaseScore(`CVSS:3.0/${metrics}`)).toBe(score);
    expect(cvssBaseScore(`CVSS:3.1/${metrics}/E:P/RL:O/CR:H`)).toBe(score);
  });

  // Examples of the specifications.
  it.each([
    ['AV:N/AC:L/Au:N/C:N/I:N/A:C', 7.8],
    ['CVSS:2.0/AV:N/AC:L/Au:N/C:C/I:C/A:C', 10],
    ['AV:L/AC:H/Au:N/C:C/I:C/A:C/E:POC/RL:OF/RC:C', 6.2],
    ['CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.3],
    ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.7],
    ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:L/VA:L/SC:N/SI:N/SA:N', 8.3],
    ['CVSS:4.0/AV:L/AC:L/AT:N/PR:N/UI:A/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N', 4.6],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 10],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U', 9.3],
  ])('of %s is %d', (vector, score) => {
    expect(cvssBaseScore(vector)).toBe(score);
  });

  it('of any text is a score or undefined', () => {
    const parts = fc.constantFrom(
      'CVSS:2.0',
      'CVSS:3.1',
      'CVSS:4.0',
      'AV:N',
      'AV:',
      ':',
      '/',
      'S:C',
      'MAV:X',
      'E:Z',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(parts, fc.string())).map((list) => list.join('/')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const score = cvssBaseScore(text);
        expect(score === undefined || (score >= 0 && score <= 10)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is in tenths from 0 to 10, and never falls when one metric gets worse', () => {
    fc.assert(
      fc.property(vectors, fc.constantFrom(...NAMES), (values, metric) => {
        const score = cvssBaseScore(format(values));
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(10);
        expect(String(score)).toMatch(/^\d+(\.\d)?$/);
        const worse = Math.min(values[metric] + 1, METRICS[metric].length - 1);
        expect(cvssBaseScore(format({ ...values, [metric]: worse }))).toBeGreaterThanOrEqual(score ?? 11);
      }),
    );
  });

  it.each([
    '',
    'high',
    'AV:N',
    'AV:N/AC:L/Au:N/C:P/I:P',
    'CVSS:9.9/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N',
    `CVSS:3.1/${'AV:N/'.repeat(200_000)}`,
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H',
    'CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:constructor/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:toString/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:__proto__/C:H/I:H/A:H',
  ])('of %j is undefined', (vector) => {
    expect(cvssBaseScore(vector)).toBeUndefined();
  });
});
