import type { Palette } from '../palette.ts';
import type { TextOptions } from '../text.ts';
import { type MavenText, mavenSections } from './maven-requirements.ts';
import { columns, heading, lines, paletteOf, type Section } from './text.ts';

interface Requirement {
  readonly name?: string;
  readonly requirement?: string;
}

interface NpmDependencies {
  readonly dependencies?: readonly Requirement[];
  readonly devDependencies?: readonly Requirement[];
  readonly optionalDependencies?: readonly Requirement[];
  readonly peerDependencies?: readonly Requirement[];
  readonly bundleDependencies?: readonly string[];
}

/** What is shown of a Requirements object: the member of its system. */
export interface RequirementsText {
  readonly npm?: {
    readonly dependencies?: NpmDependencies;
    readonly bundled?: readonly {
      readonly path?: string;
      readonly name?: string;
      readonly version?: string;
      readonly dependencies?: NpmDependencies;
    }[];
  };
  readonly nuget?: {
    readonly dependencyGroups?: readonly {
      readonly targetFramework?: string;
      readonly dependencies?: readonly Requirement[];
    }[];
  };
  readonly rubygems?: {
    readonly runtimeDependencies?: readonly Requirement[];
    readonly devDependencies?: readonly Requirement[];
  };
  readonly pypi?: {
    readonly dependencies?: readonly {
      readonly projectName?: string;
      readonly extras?: string;
      readonly versionSpecifier?: string;
      readonly environmentMarker?: string;
    }[];
  };
  readonly maven?: MavenText;
}

/** Requirements as the version declares them, unresolved. */
export function renderRequirements(requirements: RequirementsText, options: TextOptions): string {
  const { npm, nuget, rubygems, pypi, maven } = requirements;
  const sections = [
    ...npmSections(npm),
    ...(nuget?.dependencyGroups ?? []).map(({ targetFramework = '', dependencies }) =>
      section(targetFramework === '' ? 'any framework' : targetFramework, dependencies),
    ),
    section('runtime dependencies', rubygems?.runtimeDependencies),
    section('development dependencies', rubygems?.devDependencies),
    pypiSection(pypi),
    ...(maven === undefined ? [] : mavenSections(maven)),
  ].filter(({ table }) => table.length > 0);
  if (sections.length === 0) return 'No requirements.\n';
  return lines(sections.flatMap((one) => sectionLines(one, paletteOf(options))));
}

function sectionLines({ title, table }: Section, paint: Palette): readonly string[] {
  return [heading(title, paint), ...columns(table)];
}

function section(title: string, requirements: readonly Requirement[] = []): Section {
  return { title, table: requirements.map(({ name = '', requirement = '' }) => [name, requirement]) };
}

function npmSections({
  dependencies,
  bundled = [],
}: NonNullable<RequirementsText['npm']> = {}): readonly Section[] {
  return [
    ...npmDependencySections('', dependencies),
    ...bundled.flatMap(({ path = '', name = '', version = '', dependencies }) => [
      { title: `bundled in ${path}`, table: [[name, version]] },
      ...npmDependencySections(`${path}: `, dependencies),
    ]),
  ];
}

function npmDependencySections(before: string, of: NpmDependencies = {}): readonly Section[] {
  return [
    section(`${before}dependencies`, of.dependencies),
    section(`${before}development dependencies`, of.devDependencies),
    section(`${before}optional dependencies`, of.optionalDependencies),
    section(`${before}peer dependencies`, of.peerDependencies),
    { title: `${before}bundled dependencies`, table: (of.bundleDependencies ?? []).map((name) => [name]) },
  ];
}

function pypiSection({ dependencies = [] }: NonNullable<RequirementsText['pypi']> = {}): Section {
  return {
    title: 'dependencies',
    table: dependencies.map(
      ({ projectName = '', extras = '', versionSpecifier = '', environmentMarker = '' }) => [
        extras === '' ? projectName : `${projectName}[${extras}]`,
        versionSpecifier,
        environmentMarker,
      ],
    ),
  };
}
