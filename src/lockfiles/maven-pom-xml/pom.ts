import { LockfileError } from '../errors.ts';
import { childOf, childrenOf, readXml, textOf, type XmlElement } from '../syntax/xml-document.ts';

/** One pom as it is written, nothing of it interpolated. */
export interface Pom {
  /** `<project>` itself, for `${project.…}`. */
  readonly project: XmlElement;
  /** Its own; else it has its parent's. */
  readonly groupId: string | undefined;
  readonly parent: ParentReference | undefined;
  readonly properties: ReadonlyMap<string, string>;
  readonly dependencies: readonly PomDependency[];
  readonly managed: readonly PomDependency[];
  /** Folders, or poms, of the modules that are built with it. */
  readonly modules: readonly string[];
}

export interface Coordinates {
  readonly groupId: string;
  readonly artifactId: string;
  readonly version: string;
}

export interface ParentReference extends Coordinates {
  /** Of the parent's pom, or of the folder that it is in; Maven's default is the folder above. */
  readonly relativePath: string;
  readonly line: number;
}

export interface PomDependency {
  readonly groupId: string | undefined;
  readonly artifactId: string | undefined;
  readonly version: string | undefined;
  readonly type: string | undefined;
  readonly classifier: string | undefined;
  readonly scope: string | undefined;
  readonly optional: string | undefined;
  readonly systemPath: string | undefined;
  readonly line: number;
}

/** Stands for the dependency management of another pom, and manages nothing itself. */
export function isImport({ type, scope }: PomDependency): boolean {
  return type === 'pom' && scope === 'import';
}

/** What no dependency stands in; `build` has the plugins' own. */
const UNWANTED = new Set([
  ...['build', 'reporting', 'repositories', 'pluginRepositories', 'distributionManagement', 'licenses'],
  ...['developers', 'contributors', 'mailingLists', 'exclusions', 'reports', 'ciManagement'],
]);

/** Reads a pom. Throws `LockfileError` when it is none. */
export function readPom(text: string, path: string): Pom {
  const project = readXml(text, path, {
    expected: 'a pom',
    unwanted: UNWANTED,
    keepsUnknownEntities: true,
  });
  if (project.name !== 'project') {
    throw new LockfileError('wrong-format', `${path}:${project.line}: the XML is no <project> of Maven`);
  }
  const parts = [project, ...activeProfiles(project)];
  return {
    project,
    groupId: textOf(project, 'groupId'),
    parent: readParent(childOf(project, 'parent')),
    properties: new Map(parts.flatMap(readProperties)),
    dependencies: parts.flatMap(readDependencies),
    managed: parts.flatMap((part) => readDependencies(childOf(part, 'dependencyManagement'))),
    modules: parts.flatMap((part) =>
      childrenOf(childOf(part, 'modules'), 'module').map(({ text }) => text.trim()),
    ),
  };
}

/** Profiles that are active when nobody asks for one; all others are left out. */
function activeProfiles(project: XmlElement): readonly XmlElement[] {
  return childrenOf(childOf(project, 'profiles'), 'profile').filter(
    (profile) => textOf(childOf(profile, 'activation'), 'activeByDefault') === 'true',
  );
}

function readParent(element: XmlElement | undefined): ParentReference | undefined {
  if (element === undefined) return undefined;
  const stated = childOf(element, 'relativePath')?.text.trim();
  return {
    groupId: textOf(element, 'groupId') ?? '',
    artifactId: textOf(element, 'artifactId') ?? '',
    version: textOf(element, 'version') ?? '',
    relativePath: stated ?? '../pom.xml',
    line: element.line,
  };
}

function readProperties(part: XmlElement): readonly (readonly [string, string])[] {
  const properties = childOf(part, 'properties')?.children ?? [];
  return properties.map(({ name, text }) => [name, text.trim()] as const);
}

function readDependencies(part: XmlElement | undefined): readonly PomDependency[] {
  return childrenOf(childOf(part, 'dependencies'), 'dependency').map((element) => ({
    groupId: textOf(element, 'groupId'),
    artifactId: textOf(element, 'artifactId'),
    version: textOf(element, 'version'),
    type: textOf(element, 'type'),
    classifier: textOf(element, 'classifier'),
    scope: textOf(element, 'scope'),
    optional: textOf(element, 'optional'),
    systemPath: textOf(element, 'systemPath'),
    line: element.line,
  }));
}
