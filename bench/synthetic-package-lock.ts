import { createHash } from 'node:crypto';

/**
 * A package-lock (version 3) of the given number of package versions, as npm would write it: hoisted, some nested, with
 * integrity, edges, licences, engines and funding. Deterministic.
 */
export function syntheticPackageLock(count: number): string {
  const random = generator(42);
  const names = Array.from({ length: count }, (_, index) => nameOf(index));
  const packages: Record<string, unknown> = {
    '': {
      name: 'synthetic',
      version: '1.0.0',
      dependencies: Object.fromEntries(
        names.slice(0, 120).map((name, index) => [name, `^${versionOf(index)}`]),
      ),
    },
  };
  for (const [index, name] of names.entries()) {
    const nested = index > 200 && random() < 0.15;
    const parent = names[Math.floor(random() * 200)] ?? '';
    const path = nested ? `node_modules/${parent}/node_modules/${name}` : `node_modules/${name}`;
    packages[path] = entryOf(name, index, names, random);
  }
  const sorted = Object.fromEntries(
    Object.entries(packages).sort(([left], [right]) => (left < right ? -1 : 1)),
  );
  return `${JSON.stringify({ name: 'synthetic', version: '1.0.0', lockfileVersion: 3, requires: true, packages: sorted }, null, 2)}\n`;
}

function entryOf(name: string, index: number, names: readonly string[], random: () => number): object {
  const version = versionOf(index);
  const file = name.slice(name.indexOf('/') + 1);
  const dependencies = Array.from({ length: Math.floor(random() * 7) }, () =>
    Math.floor(random() * names.length),
  );
  return {
    version,
    resolved: `https://registry.yarnpkg.com/${name}/-/${file}-${version}.tgz`,
    integrity: `sha512-${createHash('sha512').update(`${name}@${version}`).digest('base64')}`,
    ...(random() < 0.6 ? { dev: true } : {}),
    license: 'MIT',
    ...(dependencies.length === 0
      ? {}
      : {
          dependencies: Object.fromEntries(
            dependencies.map((other) => [names[other] ?? '', `^${versionOf(other)}`]),
          ),
        }),
    engines: { node: '>=18' },
    ...(random() < 0.3
      ? { peerDependencies: { [names[index % 50] ?? '']: '>=1' }, peerDependenciesMeta: {} }
      : {}),
    ...(random() < 0.4
      ? { funding: { type: 'github', url: `https://github.com/sponsors/author-${index % 97}` } }
      : {}),
    ...(random() < 0.2
      ? { bin: { [file]: 'bin/cli.js' }, funding: [{ type: 'individual', url: 'https://example.com' }] }
      : {}),
  };
}

function nameOf(index: number): string {
  const word = `${['core', 'util', 'stream', 'parse', 'plugin', 'helper', 'preset', 'types'][index % 8]}-${index}`;
  return index % 4 === 0 ? `@scope-${index % 60}/${word}` : `${word}-package`;
}

function versionOf(index: number): string {
  return `${index % 9}.${index % 23}.${index % 7}`;
}

/** A linear congruential generator, for repeatable numbers. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
