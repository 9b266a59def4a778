/** Projects of npm, as its releases write them. Files by path. */
export type NpmProject = Readonly<Record<string, object>>;

interface Entry {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly dev?: true;
  readonly optional?: true;
  /** The package, where a folder has another name. */
  readonly name?: string;
}

/** Packages by their folders below `node_modules`. */
type Folders = Readonly<Record<string, Entry>>;

const urlOf = (name: string, version: string) =>
  `https://registry.yarnpkg.com/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
const nameIn = (folder: string) => folder.split('/node_modules/').at(-1) ?? '';
const ranges = (folders: Folders, kept: (entry: Entry) => boolean) =>
  Object.fromEntries(
    Object.entries(folders)
      .filter(([folder, entry]) => !folder.includes('node_modules') && kept(entry))
      .map(([folder, { name, version }]) => [
        folder,
        name === undefined ? version : `npm:${name}@${version}`,
      ]),
  );

function manifestOf(name: string, folders: Folders, more: object = {}) {
  const fields = {
    dependencies: ranges(folders, ({ dev, optional }) => !dev && !optional),
    devDependencies: ranges(folders, ({ dev }) => dev === true),
    optionalDependencies: ranges(folders, ({ optional }) => optional === true),
  };
  return { name, version: '1.0.0', ...fields, ...more };
}

/** The part `packages` of the versions 2 and 3. */
function packagesOf(folders: Folders) {
  return Object.fromEntries(
    Object.entries(folders).map(([folder, { name, ...entry }]) => {
      const resolved = urlOf(name ?? nameIn(folder), entry.version);
      return [`node_modules/${folder}`, { ...(name && { name }), ...entry, resolved }];
    }),
  );
}

/** The part `dependencies` of the versions 1 and 2. */
function treeOf(folders: Folders, within = ''): object {
  const own = Object.entries(folders).filter(
    ([folder]) => folder.startsWith(within) && !folder.slice(within.length).includes('node_modules'),
  );
  return Object.fromEntries(
    own.map(([folder, { name, version, dependencies: requires, ...flags }]) => {
      const resolved = urlOf(name ?? nameIn(folder), version);
      const stated = name === undefined ? version : `npm:${name}@${version}`;
      const dependencies = treeOf(folders, `${folder}/node_modules/`);
      const inner = Object.keys(dependencies).length === 0 ? {} : { dependencies };
      return [
        nameIn(folder),
        { version: stated, resolved, ...flags, ...(requires && { requires }), ...inner },
      ];
    }),
  );
}

function project(lockfileVersion: 1 | 2 | 3, folders: Folders, file = 'package-lock.json'): NpmProject {
  const manifest = manifestOf('shop', folders);
  const lock = {
    ...{ name: 'shop', version: '1.0.0', lockfileVersion, requires: true },
    ...(lockfileVersion === 1 ? {} : { packages: { '': manifest, ...packagesOf(folders) } }),
    ...(lockfileVersion === 3 ? {} : { dependencies: treeOf(folders) }),
  };
  return { 'package.json': manifest, [file]: lock };
}

/** Two members, each with a package of its own, and one that both share. */
function workspaces(): NpmProject {
  const shared: Folders = { lodash: { version: '4.17.20' }, semver: { version: '7.6.0' } };
  const inner: Folders = { 'packages/one': { version: '1.0.0', dependencies: { semver: '5.7.1' } } };
  const members = ['one', 'two'].map((name) => {
    const dependencies = { lodash: '4.17.20', ...inner[`packages/${name}`]?.dependencies };
    return [`packages/${name}`, { name, version: '1.0.0', dependencies }] as const;
  });
  const root = manifestOf('shop', shared, { workspaces: ['packages/*'] });
  const links = members.map(([path, { name }]) => [`node_modules/${name}`, { resolved: path, link: true }]);
  const own = { version: '5.7.1', resolved: urlOf('semver', '5.7.1') };
  const packages = {
    ...{ '': root, ...packagesOf(shared), ...Object.fromEntries([...members, ...links]) },
    'packages/one/node_modules/semver': own,
  };
  const lock = { name: 'shop', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
  const manifests = members.map(([path, manifest]) => [`${path}/package.json`, manifest]);
  return { 'package.json': root, 'package-lock.json': lock, ...Object.fromEntries(manifests) };
}

const FLAT: Folders = {
  lodash: { version: '4.17.20' },
  minimist: { version: '1.2.5' },
  ms: { version: '2.1.2' },
  'node-fetch': { version: '2.6.0' },
};
const TREE: Folders = {
  express: { version: '4.17.1', dependencies: { 'body-parser': '1.19.0', cookie: '0.4.0', qs: '6.7.0' } },
  'express/node_modules/body-parser': { version: '1.19.0', dependencies: { qs: '6.7.0' } },
  'express/node_modules/cookie': { version: '0.4.0' },
  'express/node_modules/qs': { version: '6.7.0' },
  qs: { version: '6.11.0' },
  semver: { version: '5.7.1' },
};

export const NPM_PROJECTS: Readonly<Record<string, NpmProject>> = {
  'version 1': project(1, FLAT),
  'version 1 with inner packages': project(1, TREE),
  'version 2': project(2, FLAT),
  'version 2 with inner packages': project(2, TREE),
  'version 3': project(3, FLAT),
  'version 3 with inner packages': project(3, TREE),
  workspaces: workspaces(),
  'development and optional packages': project(3, {
    lodash: { version: '4.17.20', dev: true },
    axios: { version: '0.21.0', optional: true },
    moment: { version: '2.29.1' },
  }),
  'another name for a package': project(3, { 'old-lodash': { version: '4.17.20', name: 'lodash' } }),
  'npm-shrinkwrap.json': project(
    2,
    { ejs: { version: '3.1.6' }, ms: { version: '2.1.3' } },
    'npm-shrinkwrap.json',
  ),
  'nothing to report': project(3, { ms: { version: '2.1.3' } }),
};
