import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

interface AnyPackage {
  readonly id: string;
  readonly name?: string;
  readonly version?: string;
  readonly purpose?: string;
  readonly references?: readonly (readonly [category: string, type: string, locator: string])[];
  readonly checksums?: readonly (readonly [algorithm: string, value: string])[];
}

interface AnyDocument {
  readonly packages: readonly AnyPackage[];
  readonly relationships?: readonly (readonly [from: string, type: string, to: string])[];
}

function purl(text: string): NonNullable<AnyPackage['references']> {
  return [['PACKAGE-MANAGER', 'purl', text]];
}

function npm(id: string): AnyPackage {
  return { id: `SPDXRef-${id}`, name: id, version: '1.0.0', references: purl(`pkg:npm/${id}@1.0.0`) };
}

function asJson({ packages, relationships = [] }: AnyDocument, version = 'SPDX-2.3'): string {
  return JSON.stringify(
    {
      spdxVersion: version,
      SPDXID: 'SPDXRef-DOCUMENT',
      files: [{ SPDXID: 'SPDXRef-File', fileName: './a' }],
      packages: packages.map(({ id, name, version, purpose, references = [], checksums = [] }) => ({
        SPDXID: id,
        name,
        versionInfo: version,
        primaryPackagePurpose: purpose,
        externalRefs: references.map(([referenceCategory, referenceType, referenceLocator]) => ({
          referenceCategory,
          referenceType,
          referenceLocator,
        })),
        checksums: checksums.map(([algorithm, checksumValue]) => ({ algorithm, checksumValue })),
      })),
      relationships: relationships.map(([spdxElementId, relationshipType, relatedSpdxElement]) => ({
        spdxElementId,
        relationshipType,
        relatedSpdxElement,
      })),
    },
    null,
    2,
  );
}

function asTags({ packages, relationships = [] }: AnyDocument, version = 'SPDX-2.3'): string {
  const sections = packages.map(({ id, name, version, purpose, references = [], checksums = [] }) =>
    [
      '',
      '##### a package',
      ...(name === undefined ? ['PackageName:'] : [`PackageName: ${name}`]),
      `SPDXID: ${id}`,
      ...(version === undefined ? [] : [`PackageVersion: ${version}`]),
      ...(purpose === undefined ? [] : [`PrimaryPackagePurpose: ${purpose}`]),
      'PackageDescription: <text>of several lines,',
      'PackageName: not a tag',
      'and more</text>',
      ...references.map((reference) => `ExternalRef: ${reference.join(' ')}`),
      ...checksums.map(([algorithm, value]) => `PackageChecksum: ${algorithm}: ${value}`),
    ].join('\n'),
  );
  return [
    `SPDXVersion: ${version}`,
    'SPDXID: SPDXRef-DOCUMENT',
    ...sections,
    '\nFileName: ./a\nSPDXID: SPDXRef-File\nFileChecksum: SHA1: 00\n',
    ...relationships.map((one) => `Relationship: ${one.join(' ')}`),
  ].join('\n');
}

const DOCUMENT = 'SPDXRef-DOCUMENT';

describe.each([
  ['JSON', (document: AnyDocument) => readText('app.spdx.json', asJson(document))],
  ['tag-value', (document: AnyDocument) => readText('app.spdx', asTags(document))],
  [
    'tag-value with CRLF',
    (document: AnyDocument) => readText('app.spdx', asTags(document).replaceAll('\n', '\r\n')),
  ],
])('an SPDX document in %s', (_notation, read) => {
  it('reads packages with digests, edges, groups and lines; the described one is the target', () => {
    const { packages, problems } = read({
      packages: [
        { id: 'SPDXRef-App', name: 'app', version: '1' },
        {
          ...npm('a'),
          checksums: [
            ['SHA256', 'abcd'],
            ['MD5', '00'],
          ],
        },
        npm('b'),
        npm('c'),
        npm('d'),
        npm('e'),
        npm('f'),
      ],
      relationships: [
        [DOCUMENT, 'DESCRIBES', 'SPDXRef-App'],
        ['SPDXRef-App', 'DEPENDS_ON', 'SPDXRef-a'],
        ['SPDXRef-b', 'DEV_DEPENDENCY_OF', 'SPDXRef-App'],
        ['SPDXRef-a', 'DEPENDS_ON', 'SPDXRef-c'],
        ['SPDXRef-c', 'TEST_DEPENDENCY_OF', 'SPDXRef-b'],
        ['SPDXRef-d', 'OPTIONAL_DEPENDENCY_OF', 'SPDXRef-a'],
        ['SPDXRef-d', 'BUILD_DEPENDENCY_OF', 'SPDXRef-b'],
        ['SPDXRef-a', 'CONTAINS', 'SPDXRef-e'],
        ['SPDXRef-e', 'DEPENDS_ON', 'NONE'],
        ['SPDXRef-App', 'CONTAINS', 'SPDXRef-f'],
        ['SPDXRef-App', 'CONTAINS', 'SPDXRef-File'],
      ],
    });
    expect(problems).toEqual([]);
    const id = (name: string) => `${name}@1.0.0`;
    const facts = packages.map(({ name, direct, groups, dependencies }) => [
      name,
      direct,
      groups.join(),
      dependencies,
    ]);
    expect(facts).toEqual([
      ['a', true, '', [id('c'), id('d'), id('e')]],
      ['b', true, 'dev', [id('c'), id('d')]],
      ['c', false, '', []],
      ['d', false, 'build,optional', []],
      ['e', false, '', []],
      // A contained package is not a direct dependency.
      ['f', false, '', []],
    ]);
    expect(packages[0]).toMatchObject({
      ecosystem: 'npm',
      integrity: [
        { algorithm: 'sha256', value: 'abcd', encoding: 'hex' },
        { algorithm: 'md5', value: '00', encoding: 'hex' },
      ],
    });
    expect(packages.map(({ line }) => line)).toEqual(
      packages.map(({ line }) => line).toSorted((l, r) => (l ?? 0) - (r ?? 0)),
    );
  });

  it('propagates the groups of conditional dependencies', () => {
    const { packages } = read({
      packages: [{ id: 'SPDXRef-App', name: 'app' }, npm('dev'), npm('tool'), npm('both'), npm('prod')],
      relationships: [
        [DOCUMENT, 'DESCRIBES', 'SPDXRef-App'],
        ['SPDXRef-dev', 'DEV_DEPENDENCY_OF', 'SPDXRef-App'],
        ['SPDXRef-tool', 'DEPENDENCY_OF', 'SPDXRef-dev'],
        ['SPDXRef-dev', 'DEPENDENCY_OF', 'SPDXRef-tool'],
        ['SPDXRef-both', 'DEPENDENCY_OF', 'SPDXRef-tool'],
        ['SPDXRef-both', 'DEPENDENCY_OF', 'SPDXRef-prod'],
        ['SPDXRef-prod', 'DEPENDENCY_OF', 'SPDXRef-App'],
      ],
    });
    expect(packages.map(({ name, groups }) => [name, groups.join()])).toEqual([
      ['dev', 'dev'],
      ['tool', 'dev'],
      ['both', ''],
      ['prod', ''],
    ]);
  });

  it('treats several described elements, or a single one, as packages', () => {
    const { packages } = read({
      packages: [npm('a'), npm('b')],
      relationships: [
        [DOCUMENT, 'DESCRIBES', 'SPDXRef-a'],
        ['SPDXRef-b', 'DESCRIBED_BY', DOCUMENT],
      ],
    });
    expect(packages.map(({ name, direct, dependencies }) => [name, direct, dependencies])).toEqual([
      ['a', true, undefined],
      ['b', true, undefined],
    ]);
    // It has no relation to the other one.
    const extra = read({
      packages: [npm('a'), npm('b')],
      relationships: [[DOCUMENT, 'DESCRIBES', 'SPDXRef-a']],
    });
    expect(extra.packages.map(({ name, direct }) => [name, direct])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    const alone = read({ packages: [npm('a')], relationships: [[DOCUMENT, 'DESCRIBES', 'SPDXRef-a']] });
    expect(alone.packages.map(({ name }) => name)).toEqual(['a']);
  });

  it('reads purls and older references, and reports packages without a purl', () => {
    const { packages, problems } = read({
      packages: [
        { id: 'SPDXRef-1', name: 'Typing_Extensions', references: purl('pkg:pypi/typing-extensions@4.1') },
        { id: 'SPDXRef-2', name: 'n', version: '2.0', references: purl('pkg:npm/%40s/n%402.0') },
        { id: 'SPDXRef-3', name: 'o', version: '3.0', references: purl('pkg:cargo/o') },
        { id: 'SPDXRef-4', name: 'm', references: [['PACKAGE_MANAGER', 'maven-central', 'org.m:m:4.0']] },
        {
          id: 'SPDXRef-5',
          name: 'x',
          references: [['PACKAGE-MANAGER', 'http://spdx.org/rdf/references/nuget', 'X/5.0']],
        },
        { id: 'SPDXRef-6', name: 'y', references: [['PACKAGE-MANAGER', 'npm', '@s/y@6.0']] },
        { id: 'SPDXRef-7', name: 'nobody', version: 'NOASSERTION' },
        { id: 'SPDXRef-8', name: 'alpine', version: '3', purpose: 'OPERATING-SYSTEM' },
        { id: 'SPDXRef-9', name: 'copy of o', version: '3' },
        { id: 'SPDXRef-10', name: 'app/Gemfile.lock', purpose: 'APPLICATION' },
        { id: 'SPDXRef-11', name: 'nginx', version: '1', purpose: 'APPLICATION' },
      ],
      relationships: [['SPDXRef-3', 'ANCESTOR_OF', 'SPDXRef-9']],
    });
    expect(
      packages.map(({ ecosystem, name, version, purl: given }) => [ecosystem, name, version, given]),
    ).toEqual([
      ['pypi', 'Typing_Extensions', '4.1', 'pkg:pypi/typing-extensions@4.1'],
      ['npm', '@s/n', '2.0', 'pkg:npm/%40s/n@2.0'],
      ['cargo', 'o', '3.0', 'pkg:cargo/o@3.0'],
      ['maven', 'org.m:m', '4.0', 'pkg:maven/org.m/m@4.0'],
      ['nuget', 'X', '5.0', 'pkg:nuget/X@5.0'],
      ['npm', '@s/y', '6.0', 'pkg:npm/%40s/y@6.0'],
    ]);
    expect(problems.map(({ message }) => message)).toEqual([
      '"nobody" has no purl, so its ecosystem is unknown',
      '"nginx@1" has no purl, so its ecosystem is unknown',
    ]);
  });
});

describe('SPDX', () => {
  it('accepts the name of DESCRIBES in older versions of trivy', () => {
    const document = (type: string) => ({
      packages: [{ id: 'SPDXRef-App', name: 'app' }, npm('a')],
      relationships: [
        [DOCUMENT, type, 'SPDXRef-App'],
        ['SPDXRef-App', 'DEPENDS_ON', 'SPDXRef-a'],
      ] as const,
    });
    const read = readText('a.spdx.json', asJson(document('DESCRIBE')));
    expect(read).toMatchObject({ packages: [{ name: 'a', direct: true }], problems: [] });
    expect(read.packages).toEqual(
      readText('a.spdx', asJson(document('DESCRIBES'))).packages.map((one) => ({
        ...one,
        line: read.packages[0]?.line,
      })),
    );
  });

  it('is detected by its content', () => {
    const document = { packages: [npm('a')] };
    expect(readText('manifest', asJson(document)).format).toBe('spdx-json');
    expect(readText('manifest', asTags(document)).format).toBe('spdx-tag-value');
    // Some tools write JSON to files with the extension of tag-value.
    expect(readText('app.spdx', asJson(document))).toEqual(readText('app.spdx.json', asJson(document)));
    const wrapped = readText('export.json', JSON.stringify({ sbom: JSON.parse(asJson(document)) }, null, 2));
    expect(wrapped).toMatchObject({ format: 'spdx-json', packages: [{ name: 'a', line: 12 }] });
  });

  it('refuses other versions and files', () => {
    expect(failureOf('a.spdx.json', asJson({ packages: [] }, 'SPDX-3.0')).code).toBe('unsupported-version');
    expect(
      failureOf('a.spdx.json', '{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"}').message,
    ).toMatch(/SPDX 3 is not supported; export/);
    expect(failureOf('a.spdx.json', '{"a": 1}').code).toBe('wrong-format');
    expect(failureOf('a.spdx', asTags({ packages: [] }, 'SPDX-3.0')).code).toBe('unsupported-version');
    expect(failureOf('a.spdx', 'no tags at all').code).toBe('wrong-format');
  });

  it('reads the file after a text without an end', () => {
    const text = asTags({ packages: [npm('a'), npm('b')] }).replace('and more</text>', 'and more');
    const { packages, problems } = readText('a.spdx', text);
    expect(packages.map(({ name }) => name)).toContain('b');
    expect(problems[0]).toMatchObject({ message: 'the <text> of PackageDescription has no </text>' });
  });
});

describe('purls of an SBOM', () => {
  it('contain no credentials', () => {
    const { packages, problems } = readText(
      'a.spdx.json',
      asJson({
        packages: [
          {
            id: 'SPDXRef-4',
            name: 'd',
            references: purl('pkg:maven/d?vcs_url=https://me:geheim@example.org'),
          },
          { id: 'SPDXRef-5', name: 'e', references: purl('pkg://me:geheim@example.org/npm/e@1') },
          { id: 'SPDXRef-6', name: 'f', references: purl('https://me:geheim@example.org/f@1') },
          { id: 'SPDXRef-7', name: 'g', references: purl('https://me:geheim@example.org/g') },
          {
            id: 'SPDXRef-1',
            name: 'a',
            references: purl(
              'pkg:npm/a@1?vcs_url=git%2Bhttps:%2F%2Fme:geheim@example.org%2Fa.git@0123456789abcdef',
            ),
          },
          {
            id: 'SPDXRef-2',
            name: 'b',
            references: purl('pkg:maven/b/b@1?repository_url=https:%2F%2Fme:geheim@example.org%2Fm2'),
          },
          {
            id: 'SPDXRef-3',
            name: 'c',
            references: purl('pkg:npm/c@1?download_url=https:%2F%2Fme:geheim@example.org%2Fc.tgz'),
          },
        ],
      }),
    );
    expect(JSON.stringify(packages)).not.toContain('geheim');
    expect(problems).toHaveLength(4);
    expect(JSON.stringify(problems)).not.toContain('geheim');
    expect(byName(packages).get('a')?.source).toEqual({
      kind: 'git',
      url: 'git+https://example.org/a.git',
      commit: '0123456789abcdef',
    });
    expect(byName(packages).get('b:b')?.source).toEqual({ kind: 'registry', url: 'https://example.org/m2' });
    expect(byName(packages).get('c')?.source).toEqual({ kind: 'url', url: 'https://example.org/c.tgz' });
  });
});
