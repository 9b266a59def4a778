import { childOf, childrenOf, readXml, textOf, type XmlElement } from '../syntax/xml-document.ts';

/** One pom, not interpolated. */
export interface Pom {
  /** The root element, for `${project.…}`. */
  readonly project: XmlElement;
  /** Its own group; `undefined` when it inherits that of its parent. */
  readonly groupId: string | undefined;
  readonly parent: ParentReference | undefined;
  readonly properties: ReadonlyMap<string, string>;
  readonly dependencies: readonly PomDependency[];
  readonly managed: readonly PomDependency[];
  /** Paths of the modules: of their folders or poms. */
  readonly modules: readonly string[];
}

export interface Coordinates {
  readonly groupId: string;
  readonly artifactId: string;
  readonly version: string;
}

interface ParentReference extends Coordinates {
  /** Path of the parent's pom or of its folder. Maven's default is the folder above. */
  readonly relativePath: string;
  readonly line: number;
}

const COORDINATES = ['groupId', 'artifactId', 'version'] as const;
const FIELDS = [...COORDINATES, 'type', 'classifier', 'scope', 'optional', 'systemPath'] as const;
type Texts = Readonly<Record<(typeof FIELDS)[number], string | undefined>>;

export type PomDependency = Texts & { readonly line: number };

/** Whether an entry of dependency management imports that of another pom. */
export function isImport({ type, scope }: PomDependency): boolean {
  return type === 'pom' && scope === 'import';
}

/** Elements without dependencies of the project. `build` contains those of plugins. */
const UNWANTED = new Set([
  ...['build', 'reporting', 'repositories', 'pluginRepositories', 'distributionManagement', 'licenses'],
  ...['developers', 'contributors', 'mailingLists', 'exclusions', 'reports', 'ciManagement'],
]);

/** Parses a pom. Throws `LockfileError`. */
export function readPom(text: string, path: string): Pom {
  const project = readXml(text, path, {
    expected: 'a pom',
    root: 'project',
    unwanted: UNWANTED,
    keepsUnknownEntities: true,
  });
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

/** Profiles that are active by default; others are ignored. */
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
  return childrenOf(childOf(part, 'dependencies'), 'dependency').map((element) => {
    const texts = Object.fromEntries(FIELDS.map((name) => [name, textOf(element, name)])) as Texts;
    return { ...texts, line: element.line };
  });
}
