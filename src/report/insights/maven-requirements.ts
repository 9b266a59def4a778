import type {
  MavenActivation,
  MavenDependency,
  MavenProfile,
  MavenRequirements,
} from '../../model/api/insights-api.generated.ts';
import type { Section } from './text.ts';
import { keyText } from './version.ts';

/** A POM as it stands: parents not merged, properties not filled in. */
export function mavenSections({ parent, profiles = [], ...declared }: MavenRequirements): readonly Section[] {
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
