import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/model/scan/change.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import type { Transition } from '../../src/model/scan/transition.ts';
import { addCounts, worstChanges } from '../../src/policy/worst-changes.ts';
import { changeOf } from '../notify/notification.ts';

function change(name: string, severity: Severity, transition: Transition = 'opened'): Change {
  const made = changeOf(name, name, transition);
  return { ...made, finding: { ...made.finding, severity } };
}

const namesOf = (changes: readonly Change[]) => changes.map(({ finding }) => finding.title);

describe('the worst changes', () => {
  const all = [
    change('a', 'critical', 'resolved'),
    change('b', 'low'),
    change('c', 'high'),
    change('d', 'low', 'worsened'),
    change('e', 'high', 'reopened'),
  ];

  it('are open findings before resolved ones, then by severity, in the order given', () => {
    expect(namesOf(worstChanges(all, 2).changes)).toEqual(['c', 'e']);
    expect(namesOf(worstChanges(all, 3).changes)).toEqual(['b', 'c', 'e']);
    expect(namesOf(worstChanges(all, 4).changes)).toEqual(['b', 'c', 'd', 'e']);
  });

  it('include counts of the others, by transition', () => {
    expect(worstChanges(all, 2).omitted).toEqual({
      opened: 1,
      worsened: 1,
      reopened: 0,
      disputed: 0,
      suppressed: 0,
      resolved: 1,
    });
    expect(worstChanges(all, 5)).toEqual({ changes: all, omitted: undefined });
  });

  it('counts add up', () => {
    const one = { opened: 1, worsened: 0, reopened: 0, disputed: 0, suppressed: 0, resolved: 2 };
    expect(addCounts([one, undefined, one])).toEqual({
      opened: 2,
      worsened: 0,
      reopened: 0,
      disputed: 0,
      suppressed: 0,
      resolved: 4,
    });
    expect(addCounts([undefined])).toBeUndefined();
  });
});
