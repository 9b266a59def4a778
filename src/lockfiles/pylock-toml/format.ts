import type { Group, Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { namesInPyproject, PYPROJECT } from '../ecosystems/pyproject.ts';
import { indexByPythonName, lastName, normalizedName } from '../ecosystems/python.ts';
import { CUT } from '../packages/lockfile-builder.ts';
import { gitSource, isProjectFolder, registrySource, urlSource } from '../packages/sources.ts';
import { type TomlRules, tomlFormat } from '../packages/toml-lock.ts';
import { isTable, membersOf, type Table, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';

/** The lockfile of PEP 751, which pip, uv, PDM and others write. */
export const pylockToml = tomlFormat({
  name: 'pylock-toml',
  title: 'pylock.toml (PEP 751)',
  ecosystem: 'pypi',
  fileNames: ['pylock.toml', 'pylock.*.toml'],
  hasGroups: true,
  list: 'packages',
  // PEP 751 requires readers to refuse another major version.
  versions: { supported: [1], newer: 'refuse', type: 'string', statedIn: (root) => root['lock-version'] },
  mayOmitEdges: true,
  companions: [PYPROJECT],
  recognises: (head) => /^lock-version\s*=/m.test(head) && /^created-by\s*=/m.test(head),
  rulesFor(root, input): TomlRules {
    const direct = namesInPyproject(input);
    const defaults = new Set(textsIn(root['default-groups']));
    return {
      read(table, name, version) {
        const source = sourceOf(table);
        if (source.kind === 'path' && isProjectFolder(source.path)) return 'own';
        return {
          version: version === '' ? versionInFiles(table, name) : version,
          source,
          direct: direct?.has(normalizedName(name)),
          groups: groupsOf(textIn(table['marker']) ?? '', defaults),
          integrity: integrityOf(table),
        };
      },
      finder(entries, builder) {
        const find = indexByPythonName(entries, builder);
        const end = lastName(entries);
        if (root['created-by'] === 'pipenv' && root['tool'] === undefined)
          builder.problem(undefined, `it has no [tool.pipenv]: ${CUT}`);
        return (table) =>
          tablesIn(table['dependencies']).flatMap(({ name: stated, version }) => {
            const name = normalizedName(textIn(stated) ?? '');
            if (name > end) builder.lacksEntry(name);
            return find(name).filter((one) => version === undefined || one.version === version);
          });
      },
    };
  },
});

const MEMBERSHIP = /(?:"([^"]+)"|'([^']+)')\s+in\s+(extras|dependency_groups)/g;

/** The groups in a marker: `"x" in extras`, `"x" in dependency_groups`. Packages of a default group are always installed. */
function groupsOf(marker: string, defaults: ReadonlySet<string>): readonly Group[] {
  const groups = new Set<Group>();
  for (const [, double, single, kind] of marker.matchAll(MEMBERSHIP)) {
    const name = double ?? single ?? '';
    if (kind === 'dependency_groups' && defaults.has(name)) return [];
    groups.add(kind === 'extras' ? 'optional' : 'dev').add(name);
  }
  return [...groups];
}

function sourceOf(table: Table): Source {
  const { vcs, directory, archive } = table;
  if (isTable(vcs)) {
    return gitSource(textIn(vcs['url']) ?? textIn(vcs['path']) ?? '', textIn(vcs['commit-id']));
  }
  if (isTable(directory)) return { kind: 'path', path: textIn(directory['path']) ?? '' };
  if (isTable(archive)) {
    const url = textIn(archive['url']);
    return url === undefined ? { kind: 'path', path: textIn(archive['path']) ?? '' } : urlSource(url);
  }
  return registrySource(textIn(table['index']));
}

/** The version may be left out: the names of wheels and source archives have it, too. Empty where they do not agree. */
function versionInFiles(table: Table, name: string): string {
  const versions = new Set(
    tablesIn([table['sdist'], ...tablesIn(table['wheels'])]).map((file) => {
      const place = textIn(file['url']) ?? textIn(file['path']) ?? '';
      const stated = textIn(file['name']) ?? place.replace(/[?#].*$/s, '').replace(/^.*\//s, '');
      // `name-version-…` in wheels, `name-version` in source archives, whose name may have hyphens.
      const [, project = '', version = ''] =
        /^([^-]+)-([^-]+)-.*\.whl$/.exec(stated) ??
        /^(.+)-(\d[^-]*)\.(?:tar\.\w+|zip|tgz)$/.exec(stated) ??
        [];
      return normalizedName(project) === normalizedName(name) ? version.replaceAll('%2B', '+') : '';
    }),
  );
  return versions.size === 1 ? ([...versions][0] ?? '') : '';
}

function integrityOf(table: Table): readonly Integrity[] {
  const files = tablesIn([table['archive'], table['sdist'], ...tablesIn(table['wheels'])]);
  const found = new Map<string, Integrity>();
  for (const [algorithm, value] of files.flatMap((file) => membersOf(file['hashes']))) {
    if (typeof value !== 'string') continue;
    found.set(`${algorithm}:${value}`, { algorithm: algorithm.toLowerCase(), value, encoding: 'hex' });
  }
  return [...found.values()];
}
