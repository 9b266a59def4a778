/** A file of one target, as its tools write it. */
export interface LargeLockfile {
  readonly path: string;
  readonly content: string;
}

/** Packages that form a binary tree, in a lockfile or an SBOM. Throws `RangeError` for another format. */
export function largeLockfile(format: string, count: number): LargeLockfile {
  const packages = Array.from({ length: count }, (_, index) => ({
    name: `package-${index}`,
    children: [2 * index + 1, 2 * index + 2]
      .filter((other) => other < count)
      .map((other) => `package-${other}`),
  }));
  switch (format) {
    case 'npm':
      return { path: 'package-lock.json', content: packageLock(packages) };
    case 'cyclonedx':
      return { path: 'bom.cdx.json', content: cyclonedx(packages) };
    default:
      throw new RangeError(`there is no format "${format}": npm or cyclonedx`);
  }
}

type Packages = readonly { readonly name: string; readonly children: readonly string[] }[];

function packageLock(packages: Packages): string {
  const lines = packages.map(({ name, children }) => {
    const dependencies = children.map((other) => `"${other}":"*"`).join(',');
    const resolved = `https://registry.yarnpkg.com/${name}/-/${name}-1.0.0.tgz`;
    return `"node_modules/${name}":{"version":"1.0.0","resolved":"${resolved}","dependencies":{${dependencies}}}`;
  });
  const root = '"":{"name":"large","version":"1.0.0","dependencies":{"package-0":"*"}}';
  return `{"name":"large","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{${[root, ...lines].join(',\n')}}}`;
}

function cyclonedx(packages: Packages): string {
  const refOf = (name: string): string => `pkg:npm/${name}@1.0.0`;
  const component = (name: string) => ({
    'bom-ref': refOf(name),
    type: 'library',
    name,
    version: '1.0.0',
    licenses: [{ license: { id: 'MIT' } }],
    purl: refOf(name),
  });
  const root = { 'bom-ref': 'root', type: 'application', name: 'large', version: '1.0.0' };
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: root },
    components: packages.map(({ name }) => component(name)),
    dependencies: [
      { ref: 'root', dependsOn: [refOf('package-0')] },
      ...packages.map(({ name, children }) => ({ ref: refOf(name), dependsOn: children.map(refOf) })),
    ],
  });
}
