import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

interface AnyComponent {
  readonly type?: string;
  readonly 'bom-ref'?: string;
  readonly group?: string;
  readonly name?: string;
  readonly version?: string;
  readonly scope?: string;
  readonly purl?: string;
  readonly hashes?: readonly { alg: string; content: string }[];
  readonly components?: readonly AnyComponent[];
}

interface AnyBom {
  readonly root?: AnyComponent;
  readonly components: readonly AnyComponent[];
  readonly dependencies?: readonly { ref: string; dependsOn: readonly string[] }[];
}

function asJson({ root, components, dependencies }: AnyBom): string {
  const metadata = root === undefined ? {} : { metadata: { component: root } };
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    ...metadata,
    components,
    dependencies,
  });
}

function asXml({ root, components, dependencies }: AnyBom, prefix = ''): string {
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const tag = (name: string, content: string, attributes: Record<string, string | undefined> = {}) => {
    const stated = Object.entries(attributes).flatMap(([key, value]) =>
      value === undefined ? [] : ` ${key}="${escaped(value)}"`,
    );
    return `<${prefix}${name}${stated.join('')}>${content}</${prefix}${name}>\n`;
  };
  const component = (one: AnyComponent): string => {
    const fields = (['group', 'name', 'version', 'scope', 'purl'] as const).flatMap((field) => {
      const value = one[field];
      return value === undefined ? [] : tag(field, escaped(value));
    });
    const hashes = (one.hashes ?? []).map(({ alg, content }) => tag('hash', content, { alg }));
    const inner = (one.components ?? []).map(component);
    const content = [...fields, tag('hashes', hashes.join('')), tag('components', inner.join(''))].join('');
    return tag('component', content, { type: one.type, 'bom-ref': one['bom-ref'] });
  };
  const edges = (dependencies ?? []).map(({ ref, dependsOn }) =>
    tag('dependency', dependsOn.map((to) => tag('dependency', '', { ref: to })).join(''), { ref }),
  );
  const metadata = root === undefined ? '' : tag('metadata', component(root));
  const body = [
    metadata,
    tag('components', components.map(component).join('')),
    tag('dependencies', edges.join('')),
  ];
  const namespace = {
    [prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`]: 'http://cyclonedx.org/schema/bom/1.6',
  };
  return tag('bom', body.join(''), namespace);
}

const root = { type: 'application', 'bom-ref': 'root', name: 'app', version: '1' };
const BOM: AnyBom = {
  root,
  components: [
    {
      type: 'library',
      'bom-ref': 'a',
      group: '@acme',
      name: 'a',
      version: '1.0.0',
      purl: 'pkg:npm/%40acme/a@1.0.0',
      hashes: [
        { alg: 'SHA-256', content: 'abcdef01' },
        { alg: 'SHA3-512', content: '00ff' },
      ],
    },
    {
      type: 'library',
      'bom-ref': 'b',
      name: 'b',
      version: '2.0',
      scope: 'optional',
      purl: 'pkg:pypi/b@2.0',
      components: [
        { type: 'library', 'bom-ref': 'c', name: 'c', version: '3', purl: 'pkg:maven/org.c/c@3?type=jar' },
      ],
    },
    { type: 'application', 'bom-ref': 'lock', name: 'package-lock.json' },
    { type: 'operating-system', 'bom-ref': 'os', name: 'alpine', version: '3.20' },
    {
      type: 'library',
      'bom-ref': 'deb',
      name: 'zlib',
      version: '1.3',
      purl: 'pkg:deb/debian/zlib1g@1.3?arch=amd64',
    },
    { type: 'library', 'bom-ref': 'nobody', name: 'nobody', version: '1' },
    { type: 'library', 'bom-ref': 'bad', name: 'bad', version: '1', purl: 'pkg:maven/nogroup@1' },
  ],
  dependencies: [
    { ref: 'root', dependsOn: ['lock', 'os'] },
    { ref: 'lock', dependsOn: ['a', 'nowhere'] },
    { ref: 'a', dependsOn: ['b', 'nobody', 'a', 'root'] },
    { ref: 'nobody', dependsOn: ['c'] },
    { ref: 'b', dependsOn: [] },
  ],
};

describe.each([
  ['JSON', (bom: AnyBom) => readText('bom.json', asJson(bom))],
  ['XML', (bom: AnyBom) => readText('bom.xml', asXml(bom))],
  ['XML with prefixes', (bom: AnyBom) => readText('app.cdx.xml', asXml(bom, 'ns:'))],
])('a CycloneDX BOM in %s', (_notation, read) => {
  it('reads packages of all ecosystems with digests, groups and edges', () => {
    const { packages, problems } = read(BOM);
    const found = byName(packages);
    expect([...found.keys()]).toEqual(['@acme/a', 'b', 'org.c:c', 'zlib1g']);
    expect(found.get('@acme/a')).toMatchObject({
      id: '@acme/a@1.0.0',
      ecosystem: 'npm',
      version: '1.0.0',
      // Through the lockfile in which it was found.
      direct: true,
      groups: [],
      integrity: [
        { algorithm: 'sha256', value: 'abcdef01', encoding: 'hex' },
        { algorithm: 'sha3-512', value: '00ff', encoding: 'hex' },
      ],
      source: { kind: 'registry' },
      // Edges pass through elements without a purl. Missing elements, the package itself and the target are not edges.
      dependencies: ['b@2.0', 'org.c:c@3'],
    });
    expect(found.get('b')).toMatchObject({
      ecosystem: 'pypi',
      direct: false,
      groups: ['optional'],
      dependencies: [],
    });
    expect(found.get('org.c:c')).toMatchObject({
      purl: 'pkg:maven/org.c/c@3?type=jar',
      dependencies: undefined,
    });
    expect(found.get('zlib1g')).toMatchObject({ ecosystem: 'deb', direct: false });
    expect(problems.map(({ message }) => message)).toEqual([
      '"nobody@1" has no purl, so its ecosystem is unknown',
      expect.stringMatching(/^"bad@1" has an invalid purl \(.*\): "pkg:maven\/nogroup@1"$/),
    ]);
    expect(problems.every(({ line }) => line !== undefined)).toBe(true);
  });

  it('treats the subject and its members as the target', () => {
    const member = { type: 'application', 'bom-ref': 'm', name: 'm', version: '1', purl: 'pkg:npm/m@1' };
    const part = { type: 'library', 'bom-ref': 'p', name: 'p', version: '1', purl: 'pkg:npm/p@1' };
    const { packages } = read({
      root: { ...root, purl: 'pkg:npm/app@1', components: [member, part] },
      components: [
        { type: 'library', name: 'app', version: '1', purl: 'pkg:npm/app@1' },
        { type: 'library', 'bom-ref': 'a', name: 'a', version: '1', purl: 'pkg:npm/a@1' },
      ],
      dependencies: [{ ref: 'm', dependsOn: ['a'] }],
    });
    expect(packages.map(({ name, direct }) => [name, direct])).toEqual([
      ['a', true],
      ['p', false],
    ]);
  });

  it('distinguishes packages of the same name by their purls', () => {
    const purls = ['pkg:npm/a@1', 'pkg:pypi/a@1', 'pkg:npm/a@1', 'pkg:pypi/a@1'];
    const { packages } = read({ components: purls.map((purl) => ({ type: 'library', name: 'a', purl })) });
    expect(packages.map(({ id }) => id)).toEqual(['a@1', 'a@1 (pkg:pypi/a@1)']);
  });

  it('merges components with the same purl', () => {
    const twice = { type: 'library', name: 'a', version: '1', purl: 'pkg:npm/a@1' };
    const { packages } = read({
      components: [
        { ...twice, 'bom-ref': '1', scope: 'optional' },
        { ...twice, 'bom-ref': '2' },
        { type: 'library', 'bom-ref': 'b', name: 'b', purl: 'pkg:npm/b@1' },
      ],
      dependencies: [{ ref: '2', dependsOn: ['b'] }],
    });
    expect(packages.map(({ name, groups, dependencies }) => [name, groups, dependencies])).toEqual([
      ['a', [], ['b@1']],
      ['b', [], undefined],
    ]);
  });
});

const name = fc.stringMatching(/^[a-z][a-z0-9.]{0,8}$/);
const component = fc.record(
  {
    type: fc.constantFrom('library', 'framework', 'application', 'file', 'container'),
    'bom-ref': fc.stringMatching(/^[a-z0-9<&"]{1,3}$/),
    group: name,
    name,
    version: fc.stringMatching(/^\d\.\d$/),
    scope: fc.constantFrom('required', 'optional', 'excluded'),
    purl: fc.oneof(
      name.map((one) => `pkg:npm/${one}@1.0.0`),
      name.map((one) => `pkg:cargo/${one}`),
      fc.constant('pkg:nonsense'),
    ),
  },
  { requiredKeys: ['type', 'name'] },
);
const bom: fc.Arbitrary<AnyBom> = fc.record(
  {
    root: component,
    components: fc.array(
      fc.record({ one: component, inner: fc.array(component, { maxLength: 3 }) }).map(({ one, inner }) => ({
        ...one,
        components: inner,
      })),
      { maxLength: 8 },
    ),
    dependencies: fc.array(
      fc.record({
        ref: fc.stringMatching(/^[a-z0-9]{1,3}$/),
        dependsOn: fc.array(fc.stringMatching(/^[a-z0-9]{1,3}$/), { maxLength: 4 }),
      }),
      { maxLength: 8 },
    ),
  },
  { requiredKeys: ['components'] },
);

function withoutLines({ packages, problems }: ReturnType<typeof readText>) {
  return {
    packages: packages.map(({ line: _line, ...rest }) => rest),
    problems: problems.map(({ message }) => message),
  };
}

describe('both notations', () => {
  it('have the same result', () => {
    fc.assert(
      fc.property(bom, fc.constantFrom('', 'b:'), (one, prefix) => {
        const json = readText('bom.json', asJson(one));
        const xml = readText('bom.xml', asXml(one, prefix));
        expect(withoutLines(xml)).toEqual(withoutLines(json));
      }),
    );
  });

  it('are detected by their content', () => {
    expect(readText('sbom', asJson(BOM)).format).toBe('cyclonedx-json');
    expect(readText('sbom', asXml(BOM)).format).toBe('cyclonedx-xml');
    expect(readText('sbom', asXml(BOM, 'ns:')).format).toBe('cyclonedx-xml');
  });

  it('are refused when they are other files or have another major version', () => {
    expect(failureOf('bom.json', '{"specVersion": "1.5"}').code).toBe('wrong-format');
    expect(failureOf('bom.json', '{"bomFormat": "CycloneDX", "specVersion": "2.0"}').code).toBe(
      'unsupported-version',
    );
    expect(failureOf('bom.xml', '<bom/>').code).toBe('wrong-format');
    expect(failureOf('bom.xml', '<bom xmlns="http://cyclonedx.org/schema/bom/2.0"/>').code).toBe(
      'unsupported-version',
    );
    const laughs =
      '<!DOCTYPE bom [<!ENTITY a "ha">]><bom xmlns="http://cyclonedx.org/schema/bom/1.4">&a;</bom>';
    expect(failureOf('bom.xml', laughs)).toMatchObject({ code: 'syntax' });
    const deep = `${'{"components":['.repeat(5_000)}${']}'.repeat(5_000)}`;
    expect(failureOf('bom.json', deep.replace('{', '{"bomFormat":"CycloneDX",')).code).toBe('too-deep');
  });
});

describe('lines of components in JSON', () => {
  const value = { bomFormat: 'CycloneDX', ...JSON.parse(asJson(BOM)) };
  /** The line of the brace of the component that contains a text. */
  function lineOf(text: string, words: string): number {
    const at = text.lastIndexOf('{', text.indexOf(words));
    return text.slice(0, at).split('\n').length;
  }

  it.each([
    ['two spaces', JSON.stringify(value, null, 2)],
    ['tabs', JSON.stringify(value, null, '\t')],
    ['four spaces and CRLF', JSON.stringify(value, null, 4).replaceAll('\n', '\r\n')],
    ['spaces before colons', JSON.stringify(value, null, 2).replaceAll('": ', '" : ')],
    [
      'brackets and braces on one line',
      JSON.stringify(value, null, 2)
        .replace(/\[\n\s+\{/g, '[ {')
        .replace(/\},\n\s+\{/g, '}, {'),
    ],
    ['one line', JSON.stringify(value)],
    ['no indentation', JSON.stringify(value, null, 2).replace(/\n\s+/g, '\n')],
  ])('are correct with %s', (_layout, text) => {
    const found = byName(readText('bom.json', text).packages);
    for (const [name, words] of [
      ['@acme/a', /"bom-ref"\s*:\s*"a"/],
      ['b', /"bom-ref"\s*:\s*"b"/],
      ['org.c:c', /"bom-ref"\s*:\s*"c"/],
      ['zlib1g', /"bom-ref"\s*:\s*"deb"/],
    ] as const) {
      expect(found.get(name)?.line, name).toBe(lineOf(text, words.exec(text)?.[0] ?? ''));
    }
  });
});

describe('additions of the CycloneDX tools', () => {
  it('are read: development and bundled packages, digests of the distribution', () => {
    const text = JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      components: [
        {
          type: 'library',
          name: 'a',
          version: '1',
          purl: 'pkg:npm/a@1',
          properties: [
            { name: 'cdx:npm:package:development', value: 'true' },
            { name: 'cdx:npm:package:bundled', value: 'true' },
            { name: 'cdx:npm:package:path', value: 'node_modules/a' },
          ],
          externalReferences: [
            { type: 'website', url: 'https://example.org' },
            {
              type: 'distribution',
              url: 'https://example.org/a.tgz',
              hashes: [{ alg: 'SHA-512', content: 'ab' }],
            },
          ],
        },
        {
          type: 'library',
          name: 'b',
          version: '1',
          purl: 'pkg:composer/b/b@1',
          properties: [{ name: 'cdx:composer:package:isDevRequirement', value: 'false' }],
        },
      ],
    });
    const { packages } = readText('bom.json', text);
    expect(packages.map(({ groups }) => groups)).toEqual([['bundled', 'dev'], []]);
    expect(packages[0]?.integrity).toEqual([{ algorithm: 'sha512', value: 'ab', encoding: 'hex' }]);
  });
});
