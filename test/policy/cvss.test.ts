import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cvss3BaseScore } from '../../src/policy/cvss.ts';
import { scoreOf, severityOf } from '../../src/policy/severity.ts';
import { advisoryOf } from './facts.ts';

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
    expect(cvss3BaseScore(`CVSS:3.0/${metrics}`)).toBe(score);
    expect(cvss3BaseScore(`CVSS:3.1/${metrics}/E:P/RL:O/CR:H`)).toBe(score);
  });

  it('is in tenths from 0 to 10, and never falls when one metric gets worse', () => {
    fc.assert(
      fc.property(vectors, fc.constantFrom(...NAMES), (values, metric) => {
        const score = cvss3BaseScore(format(values));
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(10);
        expect(String(score)).toMatch(/^\d+(\.\d)?$/);
        const worse = Math.min(values[metric] + 1, METRICS[metric].length - 1);
        expect(cvss3BaseScore(format({ ...values, [metric]: worse }))).toBeGreaterThanOrEqual(score ?? 11);
      }),
    );
  });

  it.each([
    '',
    'high',
    'CVSS:2.0/AV:N/AC:L/Au:N/C:P/I:P/A:P',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H',
    'CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:constructor/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:toString/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:__proto__/C:H/I:H/A:H',
  ])('of %j is none', (vector) => {
    expect(cvss3BaseScore(vector)).toBeUndefined();
  });
});

describe('the severity', () => {
  it('takes the vector before the score, the score where the vector is none, and else is unrated', () => {
    const cvss3Vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
    expect(scoreOf(advisoryOf('A', { cvss3Vector, cvss3Score: 1 }))).toBe(9.8);
    expect(scoreOf(advisoryOf('A', { cvss3Vector: 'CVSS:3.1/', cvss3Score: 5.5 }))).toBe(5.5);
    expect(severityOf(scoreOf(advisoryOf('A')))).toBe('unrated');
  });

  it.each([
    [0, 'none'],
    [0.1, 'low'],
    [3.9, 'low'],
    [4, 'medium'],
    [6.9, 'medium'],
    [7, 'high'],
    [8.9, 'high'],
    [9, 'critical'],
    [10, 'critical'],
  ])('of %d is %s', (score, severity) => {
    expect(severityOf(score)).toBe(severity);
  });
});
