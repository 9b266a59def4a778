import type { Group } from '../../model/scan/lockfile.ts';
import { textsIn } from '../syntax/parse-toml.ts';

const MEMBERSHIP = /(?:"([^"]+)"|'([^']+)')\s+in\s+(extras|dependency_groups)/g;

/**
 * The groups of a package by its marker (PEP 751): `"x" in extras` and `"x" in dependency_groups`. What a default group
 * asks for is always installed.
 */
export function createGroupsOf(defaults: unknown): (marker: string | undefined) => readonly Group[] {
  const always = new Set(textsIn(defaults));
  return (marker) => {
    if (marker === undefined || !marker.includes(' in ')) return [];
    const groups = new Set<Group>();
    for (const [, double, single, kind] of marker.matchAll(MEMBERSHIP)) {
      const name = double ?? single ?? '';
      if (kind === 'dependency_groups' && always.has(name)) return [];
      groups.add(kind === 'extras' ? 'optional' : 'dev').add(name);
    }
    return [...groups];
  };
}
