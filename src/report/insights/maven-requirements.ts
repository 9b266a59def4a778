import type { Section } from './text.ts';
import { type KeyText, keyText } from './version.ts';

interface Dependency {
  readonly name?: string;
  readonly version?: string;
  readonly classifier?: string;
  readonly type?: string;
  readonly scope?: string;
  readonly optional?: string;
  readonly exclusions?: readonly string[];
}

/** What a POM or one of its profiles declares. */
interface Declarations {
  readonly dependencies?: readonly Dependency[];
  readonly dependencyManagement?: readonly Dependency[];
  readonly properties?: readonly { readonly name?: string; readonly value?: string }[];
  readonly repositories?: readonly {
    readonly id?: string;
    readonly url?: string;
    readonly layout?: string;
    readonly releasesEnabled?: string;
    readonly snapshotsEnabled?: string;
  }[];
}

interface Activation {
  readonly activeByDefault?: string;
  readonly jdk?: { readonly jdk?: string };
  readonly os?: {
    readonly name?: string;
    readonly family?: string;
    readonly arch?: string;
    readonly version?: string;
  };
  readonly property?: { readonly property?: { readonly name?: string; readonly value?: string } };
  readonly file?: { readonly exists?: string; readonly missing?: string };
}

export interface MavenText extends Declarations {
  readonly parent?: KeyText;
  readonly profiles?: readonly (Declarations & { readonly id?: string; readonly activation?: Activation })[];
}

/** A POM as it stands: parents not merged, properties not filled in. */
export function mavenSections({ parent, profiles = [], ...declared }: MavenText): readonly Section[] {
  return [
    { title: 'parent', table: parent === undefined ? [] : [[keyText(parent)]] },
    ...declarationSections('', declared),
    ...profiles.flatMap(({ id = '', activation, ...own }) => [
      { title: `profile ${id}`, table: activationTable(activation) },
      ...declarationSections(`profile ${id}: `, own),
    ]),
  ];
}

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

function dependencyRow(dependency: Dependency): readonly string[] {
  const { name = '', version = '', scope = '', classifier = '', type = '', optional = '' } = dependency;
  const excludes = (dependency.exclusions ?? []).join(', ');
  return [name, version, scope, labelled({ classifier, type, optional, excludes })];
}

function activationTable({ activeByDefault = '', jdk, os = {}, property, file = {} }: Activation = {}) {
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
