import { describe, expect, it } from 'vitest';
import {
  suppressionEntry,
  suppressionOf,
  targetSuppressionEntry,
} from '../../../src/policy/suppressions/entry.ts';

function read(entry: object) {
  const parsed = suppressionEntry().safeParse({ reason: 'why', ...entry });
  if (!parsed.success) return parsed.error.issues.map(({ message }) => message);
  return suppressionOf(parsed.data, { id: 'one', source: 'configuration' });
}

describe('an entry', () => {
  it.each<[object, object]>([
    [{ package: 'pkg:npm/lodash' }, { package: { ecosystem: 'npm', name: 'lodash' } }],
    [
      { package: 'pkg:npm/%40corp/web@<2' },
      { package: { ecosystem: 'npm', name: '@corp/web', versions: '<2' } },
    ],
    [
      { package: 'pkg:npm/lodash', versions: '^4 || ^3' },
      { package: { ecosystem: 'npm', name: 'lodash', versions: '^4 || ^3' } },
    ],
    [
      { package: 'pkg:maven/org.example/core@1.2' },
      { package: { ecosystem: 'maven', name: 'org.example:core', versions: '1.2' } },
    ],
    [
      { package: 'pkg:maven/org.example/core@[1.2,2)' },
      { package: { ecosystem: 'maven', name: 'org.example:core', versions: '[1.2,2)' } },
    ],
    [
      { package: 'pkg:npm/lodash@vers:npm/>=4.0.0|<4.17.21' },
      { package: { ecosystem: 'npm', name: 'lodash', versions: 'vers:npm/>=4.0.0|<4.17.21' } },
    ],
    [{ advisory: 'CVE-1' }, { advisories: ['CVE-1'] }],
    [{ advisory: ['CVE-1', 'CVE-2'] }, { advisories: ['CVE-1', 'CVE-2'] }],
    [
      { rule: 'deprecated', all: true, expires: '2027-01-31' },
      { rule: 'deprecated', all: true, expires: '2027-02-01T00:00:00.000Z' },
    ],
    [
      { path: 'a/*', all: true, expires: '2027-01-31T08:00:00+02:00' },
      { path: 'a/*', all: true, expires: '2027-01-31T06:00:00.000Z' },
    ],
  ])('%j is read', (entry, expected) => {
    expect(read(entry)).toEqual({ id: 'one', source: 'configuration', reason: 'why', ...expected });
  });

  it.each<[object, string]>([
    [{}, 'would hide every finding in its scope'],
    [{ target: 'web' }, 'would hide every finding in its scope'],
    [{ rule: 'vulnerability' }, 'would hide every finding in its scope'],
    [{ rule: 'vulnerability', target: 'web', path: 'a/*' }, 'would hide every finding in its scope'],
    [{ labels: { team: 'web' } }, 'would hide every finding in its scope'],
    [{ package: 'pkg:npm/*' }, 'would hide every finding in its scope'],
    [{ package: 'pkg:maven/*/*@<2' }, 'would hide every finding in its scope'],
    [{ all: true }, 'state one of target, labels, rule, path'],
    [{ all: false, target: 'web' }, 'true'],
    [{ reason: '', rule: 'deprecated', all: true }, '>=1'],
    [{ versions: '<2', advisory: 'CVE-1' }, 'needs a `package`'],
    [{ package: 'lodash' }, 'not a purl'],
    [{ package: 'pkg:npm/lodash@1', versions: '<2' }, 'second version'],
    [{ package: 'pkg:npm/lodash@<=>2' }, 'neither a version nor a range of npm'],
    [{ package: 'pkg:npm/lodash@vers:pypi/<2' }, 'is not a range of npm'],
    [{ package: 'pkg:npm/lodash', versions: 'vers:npm/<2.0.0|<1.0.0' }, 'not sorted by version'],
    [{ package: 'pkg:docker/alpine' }, 'not an ecosystem'],
    [{ rule: 'vulnerabilty' }, 'no rule is named "vulnerabilty"'],
    [{ rule: 'deprecated', all: true, expires: '31.1.2027' }, 'a date such as'],
    [{ rule: 'deprecated', all: true, expires: '2027-02-41' }, 'a date that exists'],
    [{ rule: 'deprecated', all: true, expires: '2027-02-30' }, 'a date that exists'],
    [{ advisory: [] }, 'array'],
    [{ advisory: 'CVE\n1' }, 'one line'],
    [{ package: 'pkg:npm/lodash', until: '2027-01-31' }, 'until'],
  ])('%j is refused: %s', (entry, message) => {
    expect(String(read(entry))).toContain(message);
  });

  it('of a target may be about everything in its folder', () => {
    expect(targetSuppressionEntry().safeParse({ reason: 'why', all: true }).success).toBe(true);
    expect(targetSuppressionEntry().safeParse({ reason: 'why', rule: 'vulnerability' }).success).toBe(false);
  });

  it('of a target names neither targets nor paths', () => {
    for (const name of ['target', 'labels', 'path']) {
      const entry = { reason: 'why', rule: 'deprecated', all: true, [name]: name === 'labels' ? {} : 'x' };
      expect(targetSuppressionEntry().safeParse(entry).success).toBe(false);
    }
  });
});
