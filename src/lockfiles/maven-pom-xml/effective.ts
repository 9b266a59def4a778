import type { Interpolated } from './interpolation.ts';
import { type Coordinates, isImport, type Pom, type PomDependency } from './pom.ts';

/** A dependency with everything that the poms say of it. */
export interface EffectiveDependency {
  readonly group: Interpolated;
  readonly artifact: Interpolated;
  /** Empty when none is stated. */
  readonly version: Interpolated;
  readonly scope: string;
  readonly isOptional: boolean;
  readonly systemPath: string | undefined;
  /** What an earlier entry of the same pom says of its version, if that is something else: Maven takes the last. */
  readonly overridden: string | undefined;
  readonly line: number;
}

/** What a module writes for the version of another one of its own project. */
const OWN_VERSION = /^\$\{(?:(?:project|pom)\.(?:parent\.)?version|version|revision)\}/;

/** Where the youngest pom is: paths are told from there. */
const OWN_FOLDER = /^\$\{(?:(?:project|pom)\.)?basedir\}[\\/]?/;

type Interpolate = (text: string) => Interpolated;

/**
 * The dependencies of the youngest pom: its own and those it inherits, with versions and scopes from dependency
 * management where they state none; of what is `imported` into that, the first has the last word, after the poms' own. Which two are the same Maven tells by group, artifact, type and classifier. Other
 * modules of the same project are left out when they are beside it (`isBeside`): they are the target itself.
 */
export function effectiveDependencies(
  lineage: readonly Pom[],
  interpolate: Interpolate,
  imported: readonly PomDependency[],
  isBeside: (module: Coordinates) => boolean,
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
  // From the oldest, so that the nearest pom has the last word; in one pom the last entry has it.
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
  const isOwn = createModuleCheck(interpolate, isBeside);
  return [...dependencies].flatMap(([key, one]) => {
    const effective = merged(one, managed.get(key), interpolate);
    return isOwn(effective, one.version ?? managed.get(key)?.version ?? '') ? [] : effective;
  });
}

/**
 * Tells other modules: of the project's group, in the version that is the project's by reference or only built here, with a
 * pom beside this one. A published pom has none: what it calls its own version is a package like any other.
 */
function createModuleCheck(
  interpolate: Interpolate,
  isBeside: (module: Coordinates) => boolean,
): (one: EffectiveDependency, stated: string) => boolean {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Maven's references
  const [group, version] = ['${project.groupId}', '${project.version}'].map((text) => interpolate(text));
  return (one, stated) =>
    group?.missing === undefined &&
    one.group.text === group?.text &&
    one.version.text === version?.text &&
    (OWN_VERSION.test(stated) || one.version.text.endsWith('-SNAPSHOT')) &&
    isBeside({ groupId: one.group.text, artifactId: one.artifact.text, version: one.version.text });
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
