import type { NpmDependencies, Requirement, Requirements } from '../../model/api/insights-api.generated.ts';
import { fitLines, type TextOptions } from '../layout.ts';
import { mavenSections } from './maven-requirements.ts';
import { heading, paletteOf, type Section, table } from './text.ts';

/** Requirements as the version declares them, unresolved. */
export function renderRequirements(requirements: Requirements, options: TextOptions): string {
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
  return fitLines(
    sections.flatMap((one) => sectionLines(one, options)),
    options,
  );
}

function sectionLines({ title, table: cells }: Section, options: TextOptions): readonly string[] {
  return [heading(title, paletteOf(options)), ...table(cells, options)];
}

function section(title: string, requirements: readonly Requirement[] = []): Section {
  return { title, table: requirements.map(({ name = '', requirement = '' }) => [name, requirement]) };
}

function npmSections({
  dependencies,
  bundled = [],
}: NonNullable<Requirements['npm']> = {}): readonly Section[] {
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

function pypiSection({ dependencies = [] }: NonNullable<Requirements['pypi']> = {}): Section {
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
