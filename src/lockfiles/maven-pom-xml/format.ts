import type { Group } from '../../model/lockfile.ts';
import { mavenDraft } from '../ecosystems/maven-draft.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { PackageCollector, packageId } from '../packages/package-collector.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { type EffectiveDependency, effectiveDependencies } from './effective.ts';
import { createInterpolation } from './interpolation.ts';
import { lineageOf, placesOf } from './lineage.ts';
import { readPom } from './pom.ts';

const NAME = 'maven-pom-xml';

/** Maven's project file: what the project asks for itself, not what follows from that. */
export const mavenPomXml: Format = {
  name: NAME,
  title: 'Maven pom.xml',
  ecosystem: 'maven',
  fileNames: ['pom.xml', '*.pom'],
  facts: { edges: false, groups: true, integrity: false, lines: true },
  companions: (text) => parentPlaces(text),
  recognises: (head) => /<project[\s>]/.test(head) && /maven\.apache\.org\/POM|<modelVersion>/.test(head),
  read(input) {
    const lineage = lineageOf(readPom(input.text, input.path), input);
    const collector = new PackageCollector();
    const problems = new ProblemList();
    for (const one of effectiveDependencies(lineage, createInterpolation(lineage))) {
      const fault = addDependency(collector, one);
      if (fault !== undefined) problems.add(one.line, fault);
    }
    return { format: NAME, packages: collector.packages(), problems: problems.all() };
  },
};

/** A file that is no pom has no parent; what is wrong with it is said when it is read. */
function parentPlaces(text: string): readonly string[] {
  try {
    const { parent } = readPom(text, 'pom.xml');
    return parent === undefined ? [] : placesOf(parent.relativePath);
  } catch (error) {
    if (error instanceof LockfileError) return [];
    throw error;
  }
}

/**
 * Adds the package of a dependency; gives what is wrong with it. Without a version that can be told it is a package all
 * the same: the version may be the parent's to state, and that need not be here.
 */
function addDependency(collector: PackageCollector, one: EffectiveDependency): string | undefined {
  const { group, artifact, version, systemPath, line } = one;
  const shown = JSON.stringify(`${group.text}:${artifact.text}`.slice(0, 200));
  const unknownName = group.missing ?? artifact.missing;
  if (unknownName !== undefined) return `${shown} needs \${${unknownName}}, ${NOWHERE_SET}`;
  const draft = mavenDraft(
    {
      group: group.text,
      artifact: artifact.text,
      version: version.missing === undefined ? exact(version.text) : '',
    },
    { direct: true, groups: groupsOf(one), line },
  );
  if (typeof draft === 'string') return `${shown} ${draft}`;
  if (one.scope === 'system' && systemPath !== undefined) {
    const source = { kind: 'path', path: systemPath } as const;
    collector.add({ ...draft, source, id: packageId(draft.name, draft.version, source) });
  } else collector.add(draft);
  return version.missing === undefined
    ? undefined
    : `the version of ${shown} needs \${${version.missing}}, ${NOWHERE_SET}`;
}

const NOWHERE_SET = 'which is set nowhere in the files that were given';

/** `[1.0]` allows one version only, and is no range. */
function exact(version: string): string {
  return /^\[\s*([^[\](),]+?)\s*\]$/.exec(version)?.[1] ?? version;
}

function groupsOf({ scope, isOptional }: EffectiveDependency): readonly Group[] {
  const groups: Group[] = scope === '' || scope === 'compile' || scope === 'runtime' ? [] : [scope];
  if (isOptional) groups.push('optional');
  return groups.sort();
}
