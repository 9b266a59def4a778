import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { Source } from '../../model/lockfile/lockfile.ts';
import { type ListEntry, type Located, objectsIn, plainListFormat } from '../packages/plain-list.ts';
import { gitSource, REGISTRY, urlSource, withoutCredentials } from '../packages/sources.ts';
import { readCompanion } from '../syntax/decode-text.ts';
import { parseJsonLines, parseJsonObject } from '../syntax/parse-json.ts';
import { membersOf, tableIn, textIn, textsIn } from '../syntax/parse-toml.ts';

const EACH = { each: {} };
const COMPOSER_MANIFEST = 'composer.json';

/** The lockfile of Composer, for PHP. */
export const composerLock = plainListFormat('composer.lock', {
  ecosystem: 'composer',
  companions: [COMPOSER_MANIFEST],
  facts: ['edges', 'groups', 'integrity', 'lines'],
  head: /^\s*\{\s*"_readme"\s*:\s*\[\s*"This file locks the dependencies of/,
  readList(input, builder) {
    const wanted = { members: { packages: EACH, 'packages-dev': EACH } };
    const { root, lines } = parseJsonLines(input, 'a composer.lock', wanted);
    const entries = ['packages', 'packages-dev'].flatMap((list) =>
      objectsIn(root[list], lines?.members?.get(list), builder).map((one) => ({
        ...composerEntry(one),
        groups: list === 'packages' ? [] : ['dev'],
      })),
    );
    const direct = readCompanion(input, COMPOSER_MANIFEST, (text) => {
      const manifest = parseJsonObject(text, COMPOSER_MANIFEST, 'a composer.json');
      return new Set([...keysIn(manifest['require']), ...keysIn(manifest['require-dev'])]);
    });
    return { entries, direct, lacks: !Array.isArray(root['packages']) && 'list `packages`' };
  },
});

function composerEntry({ value, line }: Located): ListEntry {
  const name = textIn(value['name']) ?? '';
  const digest = textIn(tableIn(value['dist'])['shasum']) ?? '';
  return {
    ...{ name, key: name.toLowerCase(), version: textIn(value['version']) ?? '', line },
    source: composerSource(value),
    integrity: digest === '' ? [] : [{ algorithm: 'sha1', value: digest, encoding: 'hex' }],
    provides: [...keysIn(value['provide']), ...keysIn(value['replace'])],
    needs: keysIn(value['require']),
  };
}

/** Composer notifies the registry of an installation. A repository of one package has no address for that. */
function composerSource({ source, dist, 'notification-url': registry }: JsonObject): Source {
  const [{ type, url, reference }, { type: kind, url: path }] = [tableIn(source), tableIn(dist)];
  if (kind === 'path' && typeof path === 'string') return { kind, path };
  const isRepository = registry === undefined && type === 'git' && typeof url === 'string';
  return isRepository ? gitSource(url, textIn(reference)) : REGISTRY;
}

/** The names of packages, which are case-insensitive. PHP and its extensions have no slash in their names. */
function keysIn(value: unknown): readonly string[] {
  return membersOf(value).flatMap(([key]) => (key.includes('/') ? [key.toLowerCase()] : []));
}

/** The lockfile of the Swift package manager and of Xcode, version 1 to 3. */
export const packageResolved = plainListFormat('Package.resolved', {
  ecosystem: 'swift',
  facts: ['lines'],
  head: /^\s*\{[^}]*"pins"\s*:\s*\[/,
  readList(input, builder) {
    const wanted = { members: { pins: EACH, object: { members: { pins: EACH } } } };
    const { root, lines } = parseJsonLines(input, 'a Package.resolved', wanted);
    builder.checkVersion(root['version'], 3);
    const node = lines?.members?.get('pins') ?? lines?.members?.get('object')?.members?.get('pins');
    const pins = root['pins'] ?? tableIn(root['object'])['pins'];
    const entries = objectsIn(pins, node, builder).map(swiftEntry);
    return { entries, lacks: !Array.isArray(pins) && 'list `pins`' };
  },
});

/** A version is a tag of the repository, which is the registry of its package. A branch has no version. */
function swiftEntry({ value, line }: Located): ListEntry {
  const [version, commit] = ['version', 'revision'].map((key) => textIn(tableIn(value['state'])[key]));
  const [identity = '', location, url] = ['identity', 'location', 'repositoryURL'].map((key) =>
    textIn(value[key]),
  );
  const place = location ?? url ?? '';
  const name = value['kind'] === 'registry' ? identity.replace('.', '/') : repositoryName(place);
  const source = version === undefined ? gitSource(place, commit) : REGISTRY;
  return { name, version: version ?? commit ?? '', line, source };
}

/** `github.com/owner/name` of the address of a repository: packages of Swift have no other names. */
export function repositoryName(address: string): string {
  return withoutCredentials(address)
    .replace(/^[a-z+]+:\/\/(?:[^/@]*@)?|^[^/@:]+@/i, '')
    .replace(/^([^/:]+):/, '$1/')
    .replace(/\.git$|\/$/, '');
}

/** The lockfile of renv, for R. */
export const renvLock = plainListFormat('renv.lock', {
  ecosystem: 'cran',
  facts: ['edges', 'lines'],
  head: /^\s*\{\s*"R"\s*:\s*\{\s*"Version"/,
  readList(input, builder) {
    const { root, lines } = parseJsonLines(input, 'a renv.lock', { members: { Packages: EACH } });
    const entries = objectsIn(root['Packages'], lines?.members?.get('Packages'), builder).map(renvEntry);
    return { entries, lacks: !isObject(root['Packages']) && 'object `Packages`' };
  },
});

function renvEntry({ key, value, line }: Located): ListEntry {
  const lists = ['Requirements', 'Depends', 'Imports', 'LinkingTo'].map((name) => value[name]);
  const needed = lists.flatMap((list) => (typeof list === 'string' ? list.split(',') : textsIn(list)));
  return {
    ...(value['Source'] === 'Bioconductor' ? { ecosystem: 'bioconductor' } : {}),
    ...{ name: textIn(value['Package']) ?? key, key, version: textIn(value['Version']) ?? '', line },
    source: renvSource(value),
    needs: needed.map((one) => one.replace(/\(.*$/s, '').trim()),
  };
}

function renvSource(value: JsonObject): Source {
  const [kind, url, commit, host = 'github.com', owner, repository] = [
    ...['Source', 'RemoteUrl', 'RemoteSha', 'RemoteHost', 'RemoteUsername', 'RemoteRepo'],
  ].map((name) => textIn(value[name]));
  if (kind === 'Repository' || kind === 'Bioconductor') return REGISTRY;
  if (owner !== undefined)
    return gitSource(`https://${host.replace(/^api\./, '')}/${owner}/${repository}`, commit);
  if (url === undefined) return REGISTRY;
  if (kind === 'Local') return { kind: 'path', path: url };
  return kind === 'URL' ? urlSource(url) : gitSource(url, commit);
}

/** The lockfile of Conan, for C and C++. That of Conan 1 has nodes of a graph, and that of Conan 2 has lists. */
export const conanLock = plainListFormat('conan.lock', {
  ecosystem: 'conan',
  facts: ['groups'],
  head: /^\s*\{\s*"(?:graph_lock"\s*:|version"\s*:\s*"0\.\d"\s*,\s*"(?:requires|build_requires)")/,
  readList(input, builder) {
    const { root } = parseJsonLines(input, 'a conan.lock', {});
    const { nodes } = tableIn(root['graph_lock']);
    // A node with a path, or without a reference, is the target.
    const ofNodes = objectsIn(nodes, undefined, builder).flatMap(({ value: { ref, path, context } }) =>
      ref == null || path !== undefined ? [] : [{ ref, groups: context === 'build' ? ['build'] : [] }],
    );
    const ofLists = ['requires', 'build_requires', 'python_requires'].flatMap((list) =>
      (Array.isArray(root[list]) ? root[list] : []).map((ref: unknown) => ({
        ...{ ref, groups: list === 'requires' ? [] : ['build'] },
      })),
    );
    const entries = [...ofNodes, ...ofLists].map(({ ref, groups }) => {
      // `name/version@user/channel#revision%time`: all after the version is optional.
      const [, name = '', version = ''] = /^([^/]*)\/([^@#%]*)/.exec(textIn(ref) ?? '') ?? [];
      return { name, version, line: undefined, groups };
    });
    return { entries, lacks: !isObject(nodes) && !Array.isArray(root['requires']) && 'list `requires`' };
  },
});
