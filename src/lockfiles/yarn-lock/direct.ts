import type { PackageDraft } from '../packages/package-collector.ts';
import { type Needs, type Root, spreadGroups } from '../packages/spread-groups.ts';
import type { DescriptorIndex } from './descriptor.ts';
import type { Manifest } from './manifest.ts';

/**
 * Marks what the manifest asks for as direct, and puts packages in its groups. With workspaces, whose manifests are not at
 * hand, only the first: a package that one folder needs for development another may need always.
 */
export function applyManifest(
  { requests, hasWorkspaces }: Manifest,
  index: DescriptorIndex<PackageDraft>,
  drafts: Iterable<PackageDraft>,
  needsOf: (draft: PackageDraft) => Needs<PackageDraft> | undefined,
): void {
  const roots: Root<PackageDraft>[] = requests.flatMap(({ name, range, groups }) => {
    const draft = index.find(name, range);
    return draft === undefined ? [] : [{ draft, groups }];
  });
  if (!hasWorkspaces) for (const draft of drafts) draft.direct = false;
  for (const { draft } of roots) draft.direct = true;
  if (!hasWorkspaces) spreadGroups(roots, needsOf);
}
