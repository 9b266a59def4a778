/** A small lockfile over packages of the bundled data: vulnerable, deprecated and sound ones. */
export const LOCKFILE = JSON.stringify(
  {
    name: 'fixture',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': {
        name: 'fixture',
        version: '1.0.0',
        dependencies: { lodash: '4.17.20', request: '2.88.2', mkdirp: '0.5.5' },
      },
      'node_modules/lodash': { version: '4.17.20' },
      'node_modules/minimist': { version: '1.2.5' },
      'node_modules/mkdirp': { version: '0.5.5', dependencies: { minimist: '^1.2.5' } },
      'node_modules/request': { version: '2.88.2' },
    },
  },
  null,
  2,
);

/** A lockfile without findings. */
export const SOUND = JSON.stringify({
  name: 'fixture',
  lockfileVersion: 3,
  packages: { '': { dependencies: { ms: '2.1.3' } }, 'node_modules/ms': { version: '2.1.3' } },
});
