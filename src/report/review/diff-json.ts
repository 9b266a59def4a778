import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import {
  aspectCounts,
  type LockfileComparison,
  type PackageChange,
} from '../../model/review/package-change.ts';
import { listParts, openedObject } from '../json.ts';

/** A comparison as one JSON document on one line, in parts. */
export function* diffJson(comparison: LockfileComparison): Generator<string> {
  const { old, new: current, lockfiles, newLicences, gaps } = comparison;
  const counts = aspectCounts(lockfiles);
  const facts = { schema: 'lockhound.diff/1', old, new: current, complete: gaps.length === 0 };
  yield `${openedObject({ ...facts, alarm: (counts.integrity ?? 0) > 0, counts, newLicences })},"lockfiles":[`;
  for (const [index, { path, status, unchanged, notes, changes }] of lockfiles.entries()) {
    if (index > 0) yield ',';
    yield `${openedObject({ path, status, unchanged, notes })},"changes":`;
    yield* listParts(changes, changeEntry);
    yield '}';
  }
  yield '],"gaps":';
  yield* listParts(gaps, (gap) => gap);
  yield '}\n';
}

function changeEntry({ before, after, ...change }: PackageChange): object {
  return { ...change, before: before && stateOf(before), after: after && stateOf(after) };
}

function stateOf({ ecosystem: _ecosystem, name: _name, dependencies: _edges, ...state }: LockedPackage) {
  return state;
}
