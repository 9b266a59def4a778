import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import {
  aspectCounts,
  type LockfileChanges,
  type LockfileComparison,
  type PackageChange,
} from '../../model/review/package-change.ts';
import { plainText } from '../answer.ts';
import { listParts, openedObject } from '../json.ts';
import type { TextOptions } from '../layout.ts';
import { ASPECT_WORDS, aspectDetail, versionsText } from './change-words.ts';

/** A comparison as text: counts, gaps, and for each lockfile its changes, the most important first. */
export function diffText({ lockfiles, gaps, newLicences }: LockfileComparison, options: TextOptions): string {
  const counts = Object.fromEntries(
    Object.entries(aspectCounts(lockfiles)).map(([aspect, count]) => [
      ASPECT_WORDS[aspect as keyof typeof ASPECT_WORDS],
      count,
    ]),
  );
  const changed = lockfiles.filter(({ status, notes }) => status !== 'unchanged' || notes.length > 0);
  const shown = {
    changes: counts,
    lockfiles: changed.map(fileOf),
    newLicences,
    ...(gaps.length > 0 && { notCompared: gaps }),
  };
  return plainText(shown, options);
}

function fileOf({ changes, ...file }: LockfileChanges) {
  return { ...file, packages: changes.map(changeOf) };
}

function changeOf(change: PackageChange) {
  const { aspects, name, after } = change;
  const words = aspects.map((aspect) =>
    aspect === 'integrity' ? `ALARM ${ASPECT_WORDS[aspect]}` : ASPECT_WORDS[aspect],
  );
  const details = aspects.map((aspect) => aspectDetail(aspect, change)).filter((text) => text !== '');
  return { change: words, name, version: versionsText(change), direct: after?.direct === true, details };
}

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
