import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import { compareFindingOrder } from '../../src/policy/finding-order.ts';

interface Parts {
  readonly level?: Finding['level'];
  readonly severity?: Severity;
  readonly score?: number;
  readonly name?: string;
  readonly version?: string;
  readonly rule?: string;
  readonly id?: string;
  readonly issue?: string;
}

function finding(parts: Parts): Finding {
  const {
    level = 'alert',
    severity = 'high',
    name = 'b',
    version = '2',
    rule = 'r2',
    score,
    id = 'I-2',
  } = parts;
  const purl = `pkg:npm/${name}@${version}`;
  return {
    fingerprint: '',
    rule,
    level,
    severity,
    title: '',
    package: { ecosystem: 'npm', name, version, purl, direct: undefined, groups: [] },
    locations: [],
    advisory: { id, aliases: [], title: '', url: '', ...(score === undefined ? {} : { score }) },
    ...(parts.issue === undefined ? {} : { issue: parts.issue }),
  };
}

/** In order; each differs from the next one in the criterion that decides between them. */
const ORDERED: readonly Finding[] = [
  finding({ severity: 'critical', name: 'z' }),
  finding({ severity: 'high', name: 'z', score: 8 }),
  finding({ severity: 'high', name: 'a', score: 7 }),
  finding({ severity: 'high', name: 'a' }),
  finding({ severity: 'high', name: 'b', version: '1', rule: 'r9' }),
  finding({ severity: 'high', rule: 'r1', id: 'I-9' }),
  finding({ severity: 'high', rule: 'r2', id: 'I-1', issue: 'z' }),
  finding({ severity: 'high', rule: 'r2', id: 'I-2' }),
  finding({ severity: 'high', rule: 'r2', id: 'I-2', issue: 'x' }),
  finding({ severity: 'medium', name: 'z' }),
  finding({ severity: 'unrated', name: 'a' }),
  finding({ severity: 'low' }),
  finding({ severity: 'none' }),
  finding({ level: 'note', severity: 'critical' }),
  finding({ level: 'note', severity: 'low' }),
];

describe('the order of findings', () => {
  it('is total: any shuffle of them sorts to the same list', () => {
    const shuffled = fc.shuffledSubarray([...ORDERED], { minLength: ORDERED.length });
    fc.assert(
      fc.property(shuffled, (list) => {
        expect(list.toSorted(compareFindingOrder)).toEqual(ORDERED);
      }),
    );
  });

  it('treats equal findings as equal', () => {
    for (const one of ORDERED) expect(compareFindingOrder(one, { ...one })).toBe(0);
  });
});
