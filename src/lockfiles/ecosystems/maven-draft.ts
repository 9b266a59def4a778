import { type DraftParts, draftPackage } from '../packages/lockfile-builder.ts';
import type { PackageDraft } from '../packages/package-collector.ts';

/** Returns the package of Maven coordinates, or why they are invalid. */
export function mavenDraft(
  coordinates: { readonly group: string; readonly artifact: string; readonly version: string },
  rest: Pick<DraftParts, 'direct' | 'groups' | 'integrity' | 'line'>,
): PackageDraft | string {
  const { group, artifact, version } = coordinates;
  if (group === '') return 'has no group';
  if (artifact === '') return 'has no name';
  return draftPackage({ ecosystem: 'maven', name: `${group}:${artifact}`, version, ...rest });
}
