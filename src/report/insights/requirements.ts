import type {
  MavenActivation,
  MavenDependency,
  MavenProfile,
  MavenRequirements,
  NpmDependencies,
  Requirement,
  Requirements,
} from '../../model/api/insights-api.generated.ts';
import { keyText } from './package.ts';
import { line, renderer, type Section, sectionBlocks } from './view.ts';

/** Requirements as the version declares them, unresolved. */
export const renderRequirements = renderer(({ npm, nuget, rubygems, pypi, maven }: Requirements) => {
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
  return sections.length === 0 ? [line('No requirements.')] : sectionBlocks(sections);
});

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

/** A POM as published: without its parents, and with properties not replaced. */
function mavenSections({ parent, profiles = [], ...declared }: MavenRequirements): readonly Section[] {
  return [
    { title: 'parent', table: parent === undefined ? [] : [[keyText(parent)]] },
    ...declarationSections('', declared),
    ...profiles.flatMap(({ id = '', activation, ...own }) => [
      { title: `profile ${id}`, table: activationTable(activation) },
      ...declarationSections(`profile ${id}: `, own),
    ]),
  ];
}

/** What a POM and each of its profiles declare. */
type Declarations = Pick<
  MavenProfile,
  'dependencies' | 'dependencyManagement' | 'properties' | 'repositories'
>;

function declarationSections(before: string, declared: Declarations): readonly Section[] {
  const { dependencies = [], dependencyManagement = [], properties = [], repositories = [] } = declared;
  return [
    { title: `${before}dependencies`, table: dependencies.map(dependencyRow) },
    { title: `${before}managed dependencies`, table: dependencyManagement.map(dependencyRow) },
    {
      title: `${before}properties`,
      table: properties.map(({ name = '', value = '' }) => [name, value]),
    },
    {
      title: `${before}repositories`,
      table: repositories.map(
        ({ id = '', url = '', layout = '', releasesEnabled = '', snapshotsEnabled = '' }) => [
          id,
          url,
          labelled({ layout, releases: releasesEnabled, snapshots: snapshotsEnabled }),
        ],
      ),
    },
  ];
}

function dependencyRow(dependency: MavenDependency): readonly string[] {
  const { name = '', version = '', scope = '', classifier = '', type = '', optional = '' } = dependency;
  const excludes = (dependency.exclusions ?? []).join(', ');
  return [name, version, scope, labelled({ classifier, type, optional, excludes })];
}

function activationTable({ activeByDefault = '', jdk, os = {}, property, file = {} }: MavenActivation = {}) {
  const { name = '', value = '' } = property?.property ?? {};
  const text = labelled({
    'active by default': activeByDefault,
    jdk: jdk?.jdk ?? '',
    os: [os.name, os.family, os.arch, os.version].filter(Boolean).join(' '),
    property: name === '' ? '' : `${name}=${value}`,
    'file exists': file.exists ?? '',
    'file missing': file.missing ?? '',
  });
  return [[text === '' ? 'no activation' : text]];
}

function labelled(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label} ${value}`)
    .join('; ');
}
