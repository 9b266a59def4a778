import type { Group } from '../../model/scan/lockfile.ts';
import { mavenDraft } from '../ecosystems/maven-draft.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { PackageCollector, packageId } from '../packages/package-collector.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { type AbsentPom, absentPoms } from './absent.ts';
import { type EffectiveDependency, effectiveDependencies } from './effective.ts';
import { importPlaces, readImports } from './imports.ts';
import { createInterpolation } from './interpolation.ts';
import { findPom, lineageOf, placesOf } from './lineage.ts';
import { modulePlaces, siblingPlaces } from './modules.ts';
import { type Coordinates, readPom } from './pom.ts';
import { exactVersion } from './version-requirement.ts';

const NAME = 'maven-pom-xml';

/** Maven's project file: what the project asks for itself, not what follows from that. */
export const mavenPomXml: Format = {
  name: NAME,
  title: 'Maven pom.xml',
  ecosystem: 'maven',
  fileNames: ['pom.xml', '*.pom'],
  facts: { edges: false, groups: true, integrity: false, lines: true },
  mayAskForNothing: true,
  companions: relatedPlaces,
  recognises: (head) => /<project[\s>]/.test(head) && /maven\.apache\.org\/POM|<modelVersion>/.test(head),
  read(input) {
    const lineage = lineageOf(readPom(input.text, input.path), input);
    const collector = new PackageCollector();
    const problems = new ProblemList();
    const interpolate = createInterpolation(lineage);
    const open: EffectiveDependency[] = [];
    const imports = readImports(lineage, input);
    const isBeside = (module: Coordinates): boolean =>
      findPom(module, modulePlaces(module.artifactId), { folder: '', input }) !== undefined;
    for (const one of effectiveDependencies(lineage, interpolate, imports.managed, isBeside)) {
      if (!addDependency(collector, one, problems)) continue;
      const fault = versionFault(one);
      if (fault !== undefined) problems.add(one.line, fault, 'unclear');
      else if (one.version.text === '') open.push(one);
    }
    reportOpen(open, absentPoms(lineage, interpolate, imports.found), problems);
    return { format: NAME, packages: collector.packages(), problems: problems.all() };
  },
};

/** Says of versions that are stated nowhere where they may be: once for each such place, not for each dependency. */
function reportOpen(
  open: readonly EffectiveDependency[],
  absent: readonly AbsentPom[],
  problems: ProblemList,
): void {
  if (open.length === 0) return;
  const count = open.length === 1 ? 'one dependency has' : `${open.length} dependencies have`;
  for (const { what, line } of absent) {
    problems.add(
      line,
      `${what} did not come with the file: ${count} no version here, and may have it there`,
      'unclear',
    );
  }
  if (absent.length > 0) return;
  for (const one of open)
    problems.add(one.line, `${shownName(one)} has no version, and inherits none`, 'unclear');
}

/** A file that is no pom has no others; what is wrong with it is said when it is read. */
function relatedPlaces(text: string, isLockfile: boolean): readonly string[] {
  try {
    const pom = readPom(text, 'pom.xml');
    const parents = pom.parent === undefined ? [] : placesOf(pom.parent.relativePath);
    return [...parents, ...importPlaces(pom), ...(isLockfile ? siblingPlaces(pom) : [])];
  } catch (error) {
    if (error instanceof LockfileError) return [];
    throw error;
  }
}

/**
 * Adds the package of a dependency; `false` when it cannot be one. Without a version that can be told it is a package too:
 * the version may be the parent's to state, and that need not be here.
 */
function addDependency(
  collector: PackageCollector,
  one: EffectiveDependency,
  problems: ProblemList,
): boolean {
  const { group, artifact, version, systemPath, line } = one;
  const shown = shownName(one);
  const unknownName = group.missing ?? artifact.missing;
  if (unknownName !== undefined) {
    problems.add(line, `${shown} needs \${${unknownName}}, ${NOWHERE_SET}`);
    return false;
  }
  const draft = mavenDraft(
    {
      group: group.text,
      artifact: artifact.text,
      version: version.missing === undefined ? exactVersion(version.text) : '',
    },
    { direct: true, groups: groupsOf(one), line },
  );
  if (typeof draft === 'string') {
    problems.add(line, `${shown} ${draft}`);
    return false;
  }
  if (one.scope === 'system' && systemPath !== undefined) {
    const source = { kind: 'path', path: systemPath } as const;
    collector.add({ ...draft, source, id: packageId(draft.name, draft.version, source) });
  } else collector.add(draft);
  return true;
}

/** What keeps the version from being told, or makes it doubtful. */
function versionFault(one: EffectiveDependency): string | undefined {
  const { version, overridden } = one;
  const shown = shownName(one);
  if (version.missing !== undefined)
    return `the version of ${shown} needs \${${version.missing}}, ${NOWHERE_SET}`;
  const text = version.text.slice(0, 200);
  if (text !== '' && exactVersion(text) === '') {
    return `${shown} asks for ${text}: which version that is only its repository tells`;
  }
  return overridden === undefined
    ? undefined
    : `${shown} stands here more than once, with ${overridden.slice(0, 200)} before: Maven takes the last`;
}

const NOWHERE_SET = 'which is set nowhere in the files that were given';

function shownName({ group, artifact }: EffectiveDependency): string {
  return JSON.stringify(`${group.text}:${artifact.text}`.slice(0, 200));
}

function groupsOf({ scope, isOptional }: EffectiveDependency): readonly Group[] {
  const groups: Group[] = scope === '' || scope === 'compile' || scope === 'runtime' ? [] : [scope];
  if (isOptional) groups.push('optional');
  return groups.sort();
}
