import type { Interpolated } from './interpolation.ts';
import { type Coordinates, isImport, type Pom, type PomDependency } from './pom.ts';

/** A dependency with the facts of all poms. */
export interface EffectiveDependency {
  readonly group: Interpolated;
  readonly artifact: Interpolated;
  /** Empty when no pom has one. */
  readonly version: Interpolated;
  readonly scope: string;
  readonly isOptional: boolean;
  readonly systemPath: string | undefined;
  /** A different version in an earlier entry of the same pom. Maven takes the last entry. */
  readonly overridden: string | undefined;
  readonly line: number;
}

/** The forms of the version of another module of the same project. */
const OWN_VERSION = /^\$\{(?:(?:project|pom)\.(?:parent\.)?version|version|revision)\}/;

/** The folder of the pom that is read. Paths are relative to it. */
const OWN_FOLDER = /^\$\{(?:(?:project|pom)\.)?basedir\}[\\/]?/;

type Interpolate = (text: string) => Interpolated;

/**
 * Returns the dependencies of the first pom of the lineage, own and inherited, with versions and scopes from dependency
 * management where they have none. The poms' own management precedes `imported`, in which the first entry counts. Maven
 * identifies dependencies by group, artifact, type and classifier. Leaves out other modules of the same project whose pom
 * is available (`isModule`): they belong to the target.
 */
export function effectiveDependencies(
  lineage: readonly Pom[],
  interpolate: Interpolate,
  imported: readonly PomDependency[],
  isModule: (module: Coordinates) => boolean,
): readonly EffectiveDependency[] {
  const parentLine = lineage[0]?.parent?.line ?? 1;
  const keyOf = (one: PomDependency) =>
    JSON.stringify(
      [one.groupId, one.artifactId, one.type ?? 'jar', one.classifier].map(
        (text) => interpolate(text ?? '').text,
      ),
    );
  const managed = new Map<string, PomDependency>();
  for (const one of imported.toReversed()) managed.set(keyOf(one), one);
  const dependencies = new Map<string, PomDependency & Pick<EffectiveDependency, 'overridden'>>();
  // From the oldest ancestor: the nearest pom counts, and in a pom the last entry.
  for (const pom of lineage.toReversed()) {
    for (const one of pom.managed) if (!isImport(one)) managed.set(keyOf(one), one);
    const own = new Map<string, string | undefined>();
    for (const one of pom.dependencies) {
      const line = pom === lineage[0] ? one.line : parentLine;
      const key = keyOf(one);
      const earlier = own.get(key);
      dependencies.set(key, { ...one, line, overridden: earlier === one.version ? undefined : earlier });
      own.set(key, one.version);
    }
  }
  const isOwn = createModuleCheck(interpolate, isModule);
  return [...dependencies].flatMap(([key, one]) => {
    const effective = merged(one, managed.get(key), interpolate);
    return isOwn(effective, one.version ?? managed.get(key)?.version ?? '') ? [] : effective;
  });
}

/**
 * Returns a check for other modules: they have the group and the version of the project, by reference or as a snapshot, and
 * their pom is available. Without that pom (in a published pom, for example) a dependency is a package.
 */
function createModuleCheck(
  interpolate: Interpolate,
  isModule: (module: Coordinates) => boolean,
): (one: EffectiveDependency, stated: string) => boolean {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Maven's references
  const [group, version] = ['${project.groupId}', '${project.version}'].map((text) => interpolate(text));
  return (one, stated) =>
    group?.missing === undefined &&
    one.group.text === group?.text &&
    one.version.text === version?.text &&
    (OWN_VERSION.test(stated) || one.version.text.endsWith('-SNAPSHOT')) &&
    isModule({ groupId: one.group.text, artifactId: one.artifact.text, version: one.version.text });
}

function merged(
  one: PomDependency & Pick<EffectiveDependency, 'overridden'>,
  managed: PomDependency | undefined,
  interpolate: Interpolate,
): EffectiveDependency {
  const systemPath = (one.systemPath ?? managed?.systemPath)?.replace(OWN_FOLDER, '');
  return {
    group: interpolate(one.groupId ?? ''),
    artifact: interpolate(one.artifactId ?? ''),
    version: interpolate(one.version ?? managed?.version ?? ''),
    scope: interpolate(one.scope ?? managed?.scope ?? '').text.toLowerCase(),
    isOptional: interpolate(one.optional ?? '').text.toLowerCase() === 'true',
    systemPath: systemPath === undefined ? undefined : interpolate(systemPath).text,
    overridden: one.overridden === undefined ? undefined : interpolate(one.overridden).text,
    line: one.line,
  };
}

/** `[1.0]` allows one version only. */
const ONE = /^\[([^[\](),]+)\]$/;
/** Maven's ranges, and its words for the newest version. */
const SEVERAL = /^[[(]|^(?:LATEST|RELEASE)$/;

/** The version of a requirement; empty when it allows several. */
export function exactVersion(requirement: string): string {
  return ONE.exec(requirement)?.[1]?.trim() ?? (SEVERAL.test(requirement) ? '' : requirement);
}
