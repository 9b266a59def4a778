import type { Group } from '../../model/scan/lockfile.ts';
import type { Entry } from './entry.ts';

const NONE: readonly Group[] = [];

/**
 * The flags npm puts on an entry. `devOptional` says that it is in the tree as a development dependency here and as
 * an optional one there: never needed unconditionally, so it is in both groups.
 */
export function groupsOf(entry: Entry): readonly Group[] {
  const groups: Group[] = [];
  const either = entry.devOptional === true;
  if (either || entry.dev === true) groups.push('dev');
  if (either || entry.optional === true) groups.push('optional');
  if (entry.peer === true) groups.push('peer');
  if (entry.inBundle === true || entry.bundled === true) groups.push('bundled');
  return groups.length === 0 ? NONE : groups;
}
