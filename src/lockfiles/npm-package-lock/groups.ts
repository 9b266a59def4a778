import type { Group } from '../../model/lockfile.ts';
import { type Entry, own } from './entry.ts';

const NONE: readonly Group[] = [];

/**
 * The flags npm puts on an entry. `devOptional` says that it is in the tree as a development dependency here and as
 * an optional one there: never needed unconditionally, so it is in both groups.
 */
export function groupsOf(entry: Entry): readonly Group[] {
  const groups: Group[] = [];
  const either = own(entry, 'devOptional') === true;
  if (either || own(entry, 'dev') === true) groups.push('dev');
  if (either || own(entry, 'optional') === true) groups.push('optional');
  if (own(entry, 'peer') === true) groups.push('peer');
  if (own(entry, 'inBundle') === true || own(entry, 'bundled') === true) groups.push('bundled');
  return groups.length === 0 ? NONE : groups;
}
