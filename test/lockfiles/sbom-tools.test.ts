import { describe, expect, it } from 'vitest';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import { readText } from './reading.ts';

const PUBLIC = 'https://registry.yarnpkg.com/axios/-/axios-0.21.1.tgz';
const PRIVATE = 'https://npm.shop.example/@shop/rules/-/rules-2.1.0.tgz';

const LOCKFILE = JSON.stringify({
  name: 'shop',
  lockfileVersion: 3,
  packages: {
    '': { name: 'shop', dependencies: { axios: '0.21.1' }, devDependencies: { '@shop/rules': '2.1.0' } },
    'node_modules/axios': { version: '0.21.1', resolved: PUBLIC },
    'node_modules/@shop/rules': { version: '2.1.0', resolved: PRIVATE, dev: true },
  },
});

const [AXIOS, RULES] = ['pkg:npm/axios@0.21.1', 'pkg:npm/%40shop/rules@2.1.0'];
const DEVELOPMENT = [{ name: 'cdx:npm:package:development', value: 'true' }];

function cyclonedx(components: readonly object[]): string {
  const root = { type: 'application', name: 'shop', version: '1.0.0', 'bom-ref': 'shop' };
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: root },
    components: components.map((one) => ({ type: 'library', ...one })),
    dependencies: [
      { ref: 'shop', dependsOn: ['a', 'r'] },
      { ref: 'a', dependsOn: [] },
      { ref: 'r', dependsOn: [] },
    ],
  });
}

const distribution = (url: string) => [{ type: 'distribution', url }];

/** The same two packages as tools write them, in the versions of November 2026. */
const BOMS: Readonly<Record<string, readonly [format: string, text: string]>> = {
  'cyclonedx-npm 6: the tarball in the purl': [
    'cyclonedx-json',
    cyclonedx([
      {
        'bom-ref': 'a',
        name: 'axios',
        version: '0.21.1',
        purl: `${AXIOS}?download_url=${encodeURIComponent(PUBLIC)}`,
      },
      {
        'bom-ref': 'r',
        group: '@shop',
        name: 'rules',
        version: '2.1.0',
        purl: `${RULES}?download_url=${encodeURIComponent(PRIVATE)}`,
        properties: DEVELOPMENT,
      },
    ]),
  ],
  'npm sbom and cdxgen: the tarball as a reference, development as optional': [
    'cyclonedx-json',
    cyclonedx([
      {
        'bom-ref': 'a',
        name: 'axios',
        version: '0.21.1',
        purl: AXIOS,
        externalReferences: distribution(PUBLIC),
      },
      {
        'bom-ref': 'r',
        name: '@shop/rules',
        version: '2.1.0',
        scope: 'optional',
        purl: RULES,
        properties: DEVELOPMENT,
        externalReferences: distribution(PRIVATE),
      },
    ]),
  ],
  'npm sbom: SPDX': [
    'spdx-json',
    JSON.stringify({
      spdxVersion: 'SPDX-2.3',
      SPDXID: 'SPDXRef-DOCUMENT',
      documentDescribes: ['SPDXRef-shop'],
      packages: [
        ['shop', '', 'NOASSERTION'],
        ['axios', AXIOS, PUBLIC],
        ['@shop/rules', RULES, PRIVATE],
      ].map(([name = '', purl = '', downloadLocation]) => ({
        name,
        SPDXID: `SPDXRef-${name.replace(/\W/g, '')}`,
        versionInfo: purl.slice(purl.lastIndexOf('@') + 1),
        downloadLocation,
        externalRefs: purl === '' ? [] : [{ referenceType: 'purl', referenceLocator: purl }],
      })),
      relationships: [
        ['SPDXRef-axios', 'DEPENDENCY_OF', 'SPDXRef-shop'],
        ['SPDXRef-shoprules', 'DEV_DEPENDENCY_OF', 'SPDXRef-shop'],
      ].map(([spdxElementId, relationshipType, relatedSpdxElement]) => ({
        spdxElementId,
        relationshipType,
        relatedSpdxElement,
      })),
    }),
  ],
};

/** What decides whether and where a package is looked up. */
function factsOf(packages: readonly LockedPackage[]) {
  return packages
    .map(({ id, purl, name, version, direct, groups, source }) => ({
      id,
      purl,
      name,
      version,
      direct,
      groups,
      source,
    }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

describe('an SBOM of another tool', () => {
  const locked = factsOf(readText('npm-package-lock', LOCKFILE).packages);

  it.each(Object.entries(BOMS))('has the packages of the lockfile: %s', (_name, [format, text]) => {
    expect(factsOf(readText(format, text).packages)).toEqual(locked);
    expect(locked.map(({ source }) => source)).toEqual([
      { kind: 'registry', url: PRIVATE },
      { kind: 'registry', url: PUBLIC },
    ]);
  });

  it('has another source where the file is not that of a registry', () => {
    const url = 'https://example.com/axios.tgz';
    const bom = cyclonedx([
      { 'bom-ref': 'a', name: 'axios', purl: `${AXIOS}?download_url=${encodeURIComponent(url)}` },
      { 'bom-ref': 'r', name: 'other', purl: 'pkg:npm/other@1.0.0', externalReferences: distribution(url) },
    ]);
    expect(readText('cyclonedx-json', bom).packages.map(({ source }) => source)).toEqual([
      { kind: 'url', url },
      { kind: 'registry' },
    ]);
  });

  it('is a package of the registry where the purl names its repository without a commit', () => {
    const read = (vcs: string) => {
      const bom = cyclonedx([{ 'bom-ref': 'a', purl: `${AXIOS}?vcs_url=${encodeURIComponent(vcs)}` }]);
      return readText('cyclonedx-json', bom).packages.map(({ purl, source }) => [
        purl === AXIOS,
        source.kind,
      ]);
    };
    expect(read('git://github.com/axios/axios.git')).toEqual([[true, 'registry']]);
    expect(read('git+https://github.com/axios/axios.git')).toEqual([[true, 'registry']]);
    // Private code may be there.
    expect(read('git+ssh://git@github.com/shop/axios.git')).toEqual([[false, 'git']]);
    expect(read('https://git.shop.example/axios.git')).toEqual([[false, 'git']]);
    expect(read(`git+https://github.com/axios/axios.git#${'ab'.repeat(20)}`)).toEqual([[false, 'git']]);
  });

  it('has a folder as its source where pnpm writes one as the version', () => {
    const version = 'file:packages/rules';
    const bom = cyclonedx([
      {
        'bom-ref': 'a',
        name: 'axios',
        version,
        scope: 'excluded',
        purl: `pkg:npm/axios@${encodeURIComponent(version)}`,
        properties: DEVELOPMENT,
      },
    ]);
    expect(factsOf(readText('cyclonedx-json', bom).packages)).toMatchObject([
      {
        purl: 'pkg:npm/axios',
        version: '',
        groups: ['dev'],
        source: { kind: 'path', path: 'packages/rules' },
      },
    ]);
  });

  it('keeps no credentials', () => {
    const url = 'https://name:secret@npm.shop.example/axios/-/axios-0.21.1.tgz';
    const bom = cyclonedx([
      { 'bom-ref': 'a', name: 'axios', purl: AXIOS, externalReferences: distribution(url) },
    ]);
    expect(JSON.stringify(readText('cyclonedx-json', bom))).not.toContain('secret');
  });
});
