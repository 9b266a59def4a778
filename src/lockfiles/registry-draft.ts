import { messageOf } from '../model/errors.ts';
import type { Group, Integrity } from '../model/lockfile.ts';
import { type PackageDraft, packageId } from './package-collector.ts';
import { buildPurl } from './purl.ts';

export interface RegistryEntry {
  readonly ecosystem: string;
  /** Of the purl: a Maven group. */
  readonly namespace?: string;
  /** Of the purl. */
  readonly baseName: string;
  /** As the ecosystem writes it; `baseName` when that is the same. */
  readonly name?: string;
  readonly version: string;
  readonly direct?: boolean | undefined;
  readonly groups?: readonly Group[];
  readonly integrity?: readonly Integrity[];
  readonly line: number | undefined;
}

/** The package of an entry that comes from its ecosystem's registry; the reason when no purl can hold its name. */
export function registryDraft(entry: RegistryEntry): PackageDraft | string {
  const { ecosystem, namespace, baseName, version, direct, groups = [], integrity = [], line } = entry;
  const name = entry.name ?? baseName;
  try {
    return {
      id: packageId(name, version, { kind: 'registry' }),
      ecosystem,
      name,
      version,
      purl: buildPurl({ type: ecosystem, namespace, name: baseName, version }),
      direct,
      groups,
      integrity,
      source: { kind: 'registry' },
      line,
      dependencies: undefined,
    };
  } catch (error) {
    return `has a name or version that no purl can hold (${messageOf(error).slice(0, 120)})`;
  }
}

/** The package of Maven coordinates; the reason when they are none. */
export function mavenDraft(
  coordinates: { readonly group: string; readonly artifact: string; readonly version: string },
  rest: Pick<RegistryEntry, 'direct' | 'groups' | 'integrity' | 'line'>,
): PackageDraft | string {
  const { group, artifact, version } = coordinates;
  if (group === '') return 'has no group';
  if (artifact === '') return 'has no name';
  return registryDraft({
    ecosystem: 'maven',
    namespace: group,
    baseName: artifact,
    name: `${group}:${artifact}`,
    version,
    ...rest,
  });
}
