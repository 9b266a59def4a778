// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Maven writes its references like that
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/lockfiles/catalog.ts';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';

/** A small file of each format, with something of everything that its reader looks at. */
const SAMPLES: Readonly<Record<string, string>> = {
  'maven-pom-xml': `<?xml version="1.0"?><project xmlns="x"><parent><groupId>g</groupId><artifactId>p</artifactId>
<version>1</version><relativePath>../pom.xml</relativePath></parent><artifactId>a</artifactId><properties><v>1</v></properties>
<dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>m</artifactId><version>\${v}</version>
</dependency></dependencies></dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>m</artifactId>
<scope>test</scope><optional>true</optional></dependency></dependencies></project>`,
  'gradle-lockfile': '# x\ng:a:1=compileClasspath,testRuntimeClasspath\nempty=\n',
  'gradle-verification-metadata': `<verification-metadata><components><component group="g" name="a" version="1">
<artifact name="a.jar"><sha256 value="ab"><also-trust value="cd"/></sha256></artifact></component></components></verification-metadata>`,
  'nuget-packages-lock': JSON.stringify({
    version: 1,
    dependencies: {
      net8: {
        A: { type: 'Direct', resolved: '1', contentHash: 'x', dependencies: { B: '1' } },
        B: { type: 'Project', dependencies: { A: '1' } },
      },
    },
  }),
  'nuget-packages-config': '<packages><package id="A" version="1" developmentDependency="true"/></packages>',
  'nuget-deps-json': JSON.stringify({
    runtimeTarget: { name: 't' },
    targets: { t: { 'A/1': { dependencies: { B: '1' }, runtime: {} }, 'B/1': { runtime: {} } } },
    libraries: { 'A/1': { type: 'project' }, 'B/1': { type: 'package', sha512: 'sha512-x' } },
  }),
  'cyclonedx-json': JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { 'bom-ref': 'r', type: 'application', name: 'r', components: [{ name: 'm' }] } },
    components: [
      {
        type: 'library',
        'bom-ref': 'a',
        name: 'a',
        version: '1',
        purl: 'pkg:npm/a@1',
        hashes: [{ alg: 'SHA-1', content: 'ab' }],
        properties: [{ name: 'cdx:npm:package:development', value: 'true' }],
        components: [{ type: 'library', name: 'b', purl: 'pkg:pypi/b' }],
      },
    ],
    dependencies: [{ ref: 'r', dependsOn: ['a'] }],
  }),
  'cyclonedx-xml': `<bom xmlns="http://cyclonedx.org/schema/bom/1.4"><metadata><component bom-ref="r" type="application"/></metadata>
<components><component type="library" bom-ref="a"><name>a</name><version>1</version><hashes><hash alg="MD5">ab</hash></hashes>
<purl>pkg:npm/a@1</purl></component></components><dependencies><dependency ref="r"><dependency ref="a"/></dependency></dependencies></bom>`,
  'spdx-json': JSON.stringify({
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    documentDescribes: ['SPDXRef-a'],
    packages: [
      {
        SPDXID: 'SPDXRef-a',
        name: 'a',
        versionInfo: '1',
        externalRefs: [{ referenceType: 'purl', referenceLocator: 'pkg:npm/a' }],
        checksums: [{ algorithm: 'SHA1', checksumValue: 'ab' }],
      },
      { SPDXID: 'SPDXRef-b', name: 'b', externalRefs: [{ referenceType: 'npm', referenceLocator: 'b@1' }] },
      { SPDXID: 'SPDXRef-c', name: 'c' },
    ],
    relationships: [
      { spdxElementId: 'SPDXRef-a', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'SPDXRef-b' },
    ],
  }),
  'spdx-tag-value': `SPDXVersion: SPDX-2.3
SPDXID: SPDXRef-DOCUMENT
PackageName: a
SPDXID: SPDXRef-a
PackageVersion: 1
PackageChecksum: SHA1: ab
ExternalRef: PACKAGE-MANAGER purl pkg:npm/a
PackageDescription: <text>x
y</text>
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-a
`,
};

function readsOrRefuses(format: string, text: string): void {
  const content = Buffer.from(text);
  const beside = () => content;
  try {
    const { packages, problems } = readLockfile({
      path: 'x',
      content,
      format,
      sibling: beside,
    });
    const ids = new Set(packages.map(({ id }) => id));
    expect(ids.size).toBe(packages.length);
    for (const one of packages) {
      expect(one.name).not.toBe('');
      expect(one.purl.startsWith(`pkg:${one.ecosystem}/`)).toBe(true);
      for (const id of one.dependencies ?? []) expect(ids).toContain(id);
    }
    for (const { message } of problems) expect(message).not.toBe('');
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    expect(error.message).toMatch(/^x[: ]/);
  }
}

/** Other values for every place of a JSON file. */
const anyValue = fc.oneof(
  { depthSize: 'small' },
  fc.constantFrom(null, true, 0, -1, 1e99, '', 'x', '__proto__', 'constructor', 'toString', [], {}),
  fc.array(fc.constantFrom(null, 0, 'x', {}, [[]]), { maxLength: 3 }),
  fc.dictionary(
    fc.constantFrom('toString', 'valueOf', '__proto__', 'name', 'type', 'A'),
    fc.constantFrom(1, 'x', {}),
  ),
);

function places(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

const samples = FORMATS.flatMap(({ name }) => {
  const sample = SAMPLES[name];
  return sample === undefined ? [] : [[name, sample] as const];
});

describe.each(samples)('%s', (format, sample) => {
  it('has a sample that reads', () => {
    expect(readLockfile({ path: 'x', content: Buffer.from(sample), format }).packages.length).toBeGreaterThan(
      0,
    );
  });

  it('throws nothing but its own error for any change, cut or doubling', () => {
    const at = fc.nat({ max: sample.length });
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        '<',
        '>',
        '"',
        '\n',
        '&',
        '&#0;',
        '&x;',
        ']]>',
        '<!--',
        '<![CDATA[',
        '<!DOCTYPE a [',
        '{',
        '}',
        '[',
        '${v}',
      ),
    );
    fc.assert(
      fc.property(at, at, piece, (one, other, text) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        readsOrRefuses(format, sample.slice(0, from) + text + sample.slice(to));
        readsOrRefuses(format, sample.slice(0, from) + text + sample.slice(from));
        readsOrRefuses(format, sample.slice(0, to) + sample.slice(from));
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same packages with other line endings', () => {
    const read = (text: string) => readLockfile({ path: 'x', content: Buffer.from(text), format }).packages;
    expect(read(sample.replaceAll('\n', '\r\n'))).toEqual(read(sample));
  });
});

const json = samples.filter(([, sample]) => sample.startsWith('{'));

describe.each(json)('%s, in JSON,', (format, sample) => {
  it.runIf(sample.startsWith('{'))(
    'throws nothing but its own error for a value of another type anywhere',
    () => {
      const value: unknown = JSON.parse(sample);
      fc.assert(
        fc.property(fc.constantFrom(...places(value)), anyValue, (path, by) => {
          readsOrRefuses(format, JSON.stringify(replaced(value, path, by)));
        }),
        { numRuns: 500 },
      );
    },
  );
});

describe('the sizes of hostile files', () => {
  it.each([
    ['gradle-lockfile', 'x\n'.repeat(1_000_000)],
    ['spdx-tag-value', `SPDXVersion: SPDX-2.3\n${'<text>\n'.repeat(300_000)}`],
    ['spdx-tag-value', `SPDXVersion: SPDX-2.3\n${'A: <text>\n'.repeat(300_000)}`],
    ['cyclonedx-json', `{"bomFormat":"CycloneDX","components":[${'0,'.repeat(2_000_000)}0]}`],
    ['cyclonedx-xml', `<bom xmlns="http://cyclonedx.org/schema/bom/1.4">${'<components>'.repeat(100_000)}`],
    [
      'nuget-packages-lock',
      `{"version":1,"dependencies":${'{"a":'.repeat(1_000_000)}0${'}'.repeat(1_000_001)}`,
    ],
    ['spdx-json', `{"spdxVersion":"SPDX-2.3",${'"packages":[{'.repeat(100_000)}${'}]'.repeat(100_000)}}`],
    ['spdx-json', `{\n "spdxVersion":"SPDX-2.3",${'"packages":[{'.repeat(100_000)}${'}]'.repeat(100_000)}}`],
    ['maven-pom-xml', `<project>${'<a>&lt;'.repeat(500_000)}`],
  ])('are no matter (%s)', (format, text) => {
    const started = performance.now();
    readsOrRefuses(format, text);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('do not multiply through elements that are no packages', () => {
    const fan = 3_000;
    const files = Array.from({ length: fan }, (_, at) => ({
      type: 'file',
      name: `f${at}`,
      'bom-ref': `f${at}`,
    }));
    const libraries = Array.from({ length: fan }, (_, at) => ({
      type: 'library',
      name: `l${at}`,
      'bom-ref': `l${at}`,
      purl: `pkg:npm/l${at}@1`,
    }));
    const refs = files.map((one) => one['bom-ref']);
    const dependencies = [
      { ref: 'f0', dependsOn: refs },
      ...libraries.map((one) => ({ ref: one['bom-ref'], dependsOn: ['f0'] })),
    ];
    const text = JSON.stringify({
      bomFormat: 'CycloneDX',
      components: [...files, ...libraries],
      dependencies,
    });
    const started = performance.now();
    const { packages, problems } = readLockfile({ path: 'bom.json', content: Buffer.from(text) });
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(packages).toHaveLength(fan);
    expect(problems.at(-1)?.message).toMatch(/too many to follow/);
  });
});
