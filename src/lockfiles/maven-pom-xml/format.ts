import type { Group } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { type LockfileBuilder, mavenDraft } from '../packages/lockfile-builder.ts';
import { packageId } from '../packages/package-collector.ts';
import { type EffectiveDependency, effectiveDependencies, exactVersion } from './effective.ts';
import { type AbsentPom, absentPoms, importPlaces, readImports } from './imports.ts';
import { createInterpolation } from './interpolation.ts';
import { findPom, lineageOf, modulePlaces, placesOf, placesOfModules } from './lineage.ts';
import { type Coordinates, readPom } from './pom.ts';

/** Maven's project file: the direct dependencies of the project, not the transitive ones. */
export const mavenPomXml: Format = {
  name: 'maven-pom-xml',
  title: 'Maven pom.xml',
  ecosystem: 'maven',
  fileNames: ['pom.xml', '*.pom'],
  facts: { edges: false, groups: true, integrity: false, lines: true },
  isManifest: true,
  companions: relatedPaths,
  recognises: (head) => /<project[\s>]/.test(head) && /maven\.apache\.org\/POM|<modelVersion>/.test(head),
  read: readProject,
};

function readProject(input: LockfileInput, builder: LockfileBuilder): void {
  const lineage = lineageOf(readPom(input.text, input.path), input);
  const interpolate = createInterpolation(lineage);
  const imports = readImports(lineage, input);
  const isModule = (module: Coordinates): boolean =>
    findPom(module, modulePlaces(module.artifactId), { folder: '', input }) !== undefined;
  const withoutVersion: EffectiveDependency[] = [];
  for (const one of effectiveDependencies(lineage, interpolate, imports.managed, isModule)) {
    if (!addDependency(one, builder)) continue;
    const fault = versionFault(one);
    if (fault !== undefined) builder.problem(one.line, fault, 'unclear');
    else if (one.version.text === '') withoutVersion.push(one);
  }
  reportWithoutVersion(withoutVersion, absentPoms(lineage, interpolate, imports.found), builder);
}

/** Reports each unavailable pom that may have the missing versions once, or else each dependency. */
function reportWithoutVersion(
  dependencies: readonly EffectiveDependency[],
  absent: readonly AbsentPom[],
  builder: LockfileBuilder,
): void {
  if (dependencies.length === 0) return;
  const count = dependencies.length === 1 ? 'one dependency' : `${dependencies.length} dependencies`;
  for (const { what, line } of absent) {
    builder.problem(line, `${what} is not available and may have the versions of ${count}`, 'unclear');
  }
  if (absent.length > 0) return;
  for (const one of dependencies)
    builder.problem(one.line, `${shownName(one)} has no version and inherits none`, 'unclear');
}

/** Errors of the pom are reported when it is read. */
function relatedPaths(text: string, isLockfile: boolean): readonly string[] {
  try {
    const pom = readPom(text, 'pom.xml');
    const parents = pom.parent === undefined ? [] : placesOf(pom.parent.relativePath);
    return [...parents, ...importPlaces(pom), ...(isLockfile ? placesOfModules(pom) : [])];
  } catch (error) {
    if (error instanceof LockfileError) return [];
    throw error;
  }
}

/**
 * Adds the package of a dependency, also one without a version, which the parent may have. Returns `false` when the
 * dependency cannot be read.
 */
function addDependency(one: EffectiveDependency, builder: LockfileBuilder): boolean {
  const { group, artifact, version, systemPath, line } = one;
  const unknownName = group.missing ?? artifact.missing;
  const draft =
    unknownName === undefined
      ? mavenDraft(
          {
            group: group.text,
            artifact: artifact.text,
            version: version.missing === undefined ? exactVersion(version.text) : '',
          },
          { direct: true, groups: groupsOf(one), line },
        )
      : `needs \${${unknownName}}, ${NOT_SET}`;
  const entry = `${group.text}:${artifact.text}`;
  if (typeof draft === 'string' || one.scope !== 'system' || systemPath === undefined) {
    return builder.add(draft, line, entry) !== undefined;
  }
  const source = { kind: 'path', path: systemPath } as const;
  builder.add({ ...draft, source, id: packageId(draft.name, draft.version, source) }, line, entry);
  return true;
}

/** Why the version is unknown or ambiguous. */
function versionFault(one: EffectiveDependency): string | undefined {
  const { version, overridden } = one;
  const shown = shownName(one);
  if (version.missing !== undefined)
    return `the version of ${shown} needs \${${version.missing}}, ${NOT_SET}`;
  const text = version.text.slice(0, 200);
  if (text !== '' && exactVersion(text) === '') {
    return `${shown} has the version ${text}, which only its repository can resolve`;
  }
  return overridden === undefined
    ? undefined
    : `${shown} is declared more than once, before with ${overridden.slice(0, 200)}: Maven takes the last`;
}

const NOT_SET = 'which is not set in the available files';

function shownName({ group, artifact }: EffectiveDependency): string {
  return JSON.stringify(`${group.text}:${artifact.text}`.slice(0, 200));
}

function groupsOf({ scope, isOptional }: EffectiveDependency): readonly Group[] {
  const groups: Group[] = scope === '' || scope === 'compile' || scope === 'runtime' ? [] : [scope];
  if (isOptional) groups.push('optional');
  return groups.sort();
}
