import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/model/scan/finding.ts';
import { createSuppressor } from '../../../src/policy/suppressions/suppressor.ts';
import type { VexDocument } from '../../../src/policy/suppressions/vex/document.ts';
import { readVex } from '../../../src/policy/suppressions/vex/read-vex.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

/** An OpenVEX document with these statements, in the form that vexctl writes. */
function openVex(...statements: readonly object[]): VexDocument {
  return documentOf({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://openvex.dev/docs/public/vex-1',
    author: 'Product Security',
    timestamp: '2026-01-01T00:00:00Z',
    version: 1,
    tooling: 'vexctl',
    statements,
  });
}

function documentOf(value: object): VexDocument {
  const read = readVex(JSON.stringify(value), NOW);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

const statement = (products: readonly object[], more: object = {}) => ({
  vulnerability: { name: 'CVE-1', aliases: ['GHSA-1'] },
  products,
  status: 'not_affected',
  justification: 'vulnerable_code_not_in_execute_path',
  ...more,
});

function findingOf(name: string, version: string, advisory = 'GHSA-1'): Finding {
  const [type, rest = ''] = name.includes(':') ? name.split(':') : ['npm', name];
  return {
    fingerprint: 'f',
    rule: 'vulnerability',
    level: 'alert',
    severity: 'high',
    title: 't',
    package: {
      ecosystem: type ?? '',
      name: rest,
      version,
      purl: `pkg:${type}/${rest}@${version}`,
      direct: true,
      groups: [],
    },
    locations: [{ path: 'a.json', dependencyPath: [] }],
    advisory: { id: advisory, aliases: advisory === 'GHSA-1' ? ['CVE-1'] : [], title: 't', url: 'u' },
  };
}

const FINDINGS = [
  findingOf('qs', '6.5.2'),
  findingOf('qs', '6.5.3'),
  findingOf('qs', '6.5.2', 'GHSA-2'),
  findingOf('express', '4.17.1'),
  findingOf('pypi:qs', '6.5.2'),
];

/** The findings that a document suppresses in a target, in words. */
async function suppressed(
  { suppressions }: VexDocument,
  target: { readonly id: string; readonly labels?: Readonly<Record<string, string>> } = { id: 'org/shop' },
) {
  const all = { labels: {}, ...target };
  const suppressor = await createSuppressor(suppressions, all, { now: 0, targetLimit: 'off' });
  return FINDINGS.filter((finding) => suppressor.suppress(finding).suppressed !== undefined).map(
    ({ package: { ecosystem, name, version }, advisory }) =>
      `${ecosystem} ${name}@${version} ${advisory?.id}`,
  );
}

const QS = 'npm qs@6.5.2 GHSA-1';
const QS_653 = 'npm qs@6.5.3 GHSA-1';

const unaffected = (constraints: string) => ({ range: `vers:npm/${constraints}`, status: 'unaffected' });

describe('OpenVEX', () => {
  it('a package with a version: this version and this vulnerability', async () => {
    const document = openVex(statement([{ '@id': 'pkg:npm/qs@6.5.2' }]));
    expect(await suppressed(document)).toEqual([QS]);
    expect(document.suppressions).toMatchObject([
      {
        author: 'Product Security',
        reason: 'not_affected: vulnerable_code_not_in_execute_path',
        advisories: ['CVE-1', 'GHSA-1'],
      },
    ]);
  });

  it('a package without a version: all versions', async () => {
    const document = openVex(statement([{ '@id': 'x', identifiers: { purl: 'pkg:npm/qs' } }]));
    expect(await suppressed(document)).toEqual([QS, 'npm qs@6.5.3 GHSA-1']);
  });

  it.each(['affected', 'under_investigation'])('status %s suppresses nothing', async (status) => {
    expect(await suppressed(openVex(statement([{ '@id': 'pkg:npm/qs' }], { status })))).toEqual([]);
  });

  it('status fixed suppresses', async () => {
    const document = openVex(statement([{ '@id': 'pkg:npm/qs@6.5.2' }], { status: 'fixed' }));
    expect(await suppressed(document)).toEqual([QS]);
  });

  it('the last statement about a product counts, in the order of their times', async () => {
    const product = [{ '@id': 'pkg:npm/qs@6.5.2' }];
    const later = statement(product, { status: 'affected', timestamp: '2026-03-01T00:00:00Z' });
    const earlier = statement(product, { timestamp: '2026-02-01T00:00:00Z' });
    expect(await suppressed(openVex(later, earlier))).toEqual([]);
    const last = statement(product, { last_updated: '2026-04-01T00:00:00Z' });
    expect(await suppressed(openVex(later, last))).toEqual([QS]);
  });

  it('a later statement about a part holds against an earlier one about the whole', async () => {
    const whole = statement([{ '@id': 'pkg:oci/shop' }]);
    const part = statement([{ '@id': 'pkg:oci/shop', subcomponents: [{ '@id': 'pkg:npm/qs' }] }], {
      status: 'affected',
      timestamp: '2026-02-01T00:00:00Z',
    });
    expect(await suppressed(openVex(whole, part), { id: 'pkg:oci/shop' })).toEqual([]);
  });

  describe('with products and subcomponents, which tools read differently', () => {
    const shop = { '@id': 'pkg:oci/shop?repository_url=ghcr.io/org/shop' };
    const qs = [{ '@id': 'pkg:npm/qs@6.5.2' }];

    it('a subcomponent is suppressed within the target that the product is', async () => {
      const document = openVex(statement([{ ...shop, subcomponents: qs }]));
      expect(await suppressed(document, { id: shop['@id'] })).toEqual([QS]);
      expect(await suppressed(document, { id: 'x', labels: { purl: shop['@id'] } })).toEqual([QS]);
    });

    it('and not in other targets, where a reading of subcomponents alone would suppress it', async () => {
      expect(await suppressed(openVex(statement([{ ...shop, subcomponents: qs }])))).toEqual([]);
    });

    it('and not where the product is a package, on which it need not depend alone', async () => {
      const document = openVex(statement([{ '@id': 'pkg:npm/express@4.17.1', subcomponents: qs }]));
      expect(await suppressed(document)).toEqual([]);
    });

    it('a product without subcomponents is suppressed as a whole, for its vulnerability', async () => {
      const document = openVex(statement([shop]));
      expect(await suppressed(document, { id: shop['@id'] })).toEqual([
        QS,
        'npm qs@6.5.3 GHSA-1',
        'npm express@4.17.1 GHSA-1',
        'pypi qs@6.5.2 GHSA-1',
      ]);
      expect(await suppressed(document)).toEqual([]);
    });
  });

  it.each([
    ['pkg:npm/*', 'does not name one package'],
    ['pkg:npm/qs@6.5.2?classifier=x', 'not distinguished by classifier'],
    ['pkg:npm/qs@6.5.2#sub', 'subpath'],
    ['*', 'does not name one product'],
  ])('%s is not applied', async (id, reason) => {
    const document = openVex(statement([{ '@id': 'pkg:oci/shop', subcomponents: [{ '@id': id }] }]));
    const product = openVex(statement([{ '@id': id }]));
    expect(await suppressed(document, { id: 'pkg:oci/shop' })).toEqual([]);
    expect(await suppressed(product)).toEqual([]);
    expect([...document.notApplied, ...product.notApplied].map((one) => one.reason).join()).toContain(reason);
  });

  it('a text that is a range elsewhere is a version here', async () => {
    expect(await suppressed(openVex(statement([{ '@id': 'pkg:npm/qs@6' }])))).toEqual([]);
    expect(await suppressed(openVex(statement([{ '@id': 'pkg:npm/qs@%3E%3D1' }])))).toEqual([]);
  });

  it('statements that are not valid are reported, and the others apply', async () => {
    const document = openVex(
      statement([{ '@id': 7 }]),
      { status: 'fixed' },
      statement([{ '@id': 'pkg:npm/qs' }]),
    );
    expect(document.notApplied.map((one) => one.statement)).toEqual(['#0', '#1']);
    expect(await suppressed(document)).toHaveLength(2);
  });
});

describe('CycloneDX', () => {
  const bom = (vulnerabilities: readonly object[]) => ({
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
    version: 1,
    metadata: { component: { type: 'application', name: 'shop', 'bom-ref': 'root', purl: 'pkg:oci/shop' } },
    components: [
      { type: 'library', name: 'express', 'bom-ref': 'e', purl: 'pkg:npm/express@4.17.1' },
      { type: 'library', name: 'qs', 'bom-ref': 'q', purl: 'pkg:npm/qs@6.5.2' },
    ],
    vulnerabilities,
  });
  const vulnerability = (ref: string, state = 'not_affected', more: object = {}) => ({
    id: 'CVE-1',
    analysis: { state, justification: 'code_not_reachable' },
    affects: [{ ref, ...more }],
  });
  const read = (...vulnerabilities: readonly object[]) => documentOf(bom(vulnerabilities));

  it('is a document of the published schema', async () => {
    const text = JSON.stringify(bom([vulnerability('q', 'false_positive')]));
    expect(await new JsonStrictValidator(Version.v1dot6).validate(text)).toBeNull();
  });

  it.each(['not_affected', 'false_positive', 'resolved'])('%s suppresses the component', async (state) => {
    expect(await suppressed(read(vulnerability('q', state)))).toEqual([QS]);
  });

  it.each(['exploitable', 'in_triage', 'something'])('%s suppresses nothing', async (state) => {
    expect(await suppressed(read(vulnerability('q', state)))).toEqual([]);
  });

  it('a BOM-Link that ends with a purl names a component of another document', async () => {
    const link = `urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#${encodeURIComponent('pkg:npm/qs@6.5.2')}`;
    expect(await suppressed(read(vulnerability(link)))).toEqual([QS]);
  });

  it('the component of the document itself is a target', async () => {
    expect(await suppressed(read(vulnerability('root')), { id: 'pkg:oci/shop' })).toHaveLength(4);
    expect(await suppressed(read(vulnerability('root')))).toEqual([]);
  });

  it.each<[string, readonly object[], readonly string[], readonly string[]]>([
    ['one version', [{ version: '6.5.2', status: 'unaffected' }], [QS], []],
    ['a range', [{ range: 'vers:npm/<6.5.3', status: 'unaffected' }], [QS], []],
    ['a range of semantic versions', [{ range: 'vers:semver/<6.5.3', status: 'unaffected' }], [QS], []],
    ['a range beside an affected one', [unaffected('<6.5.3'), { range: 'vers:npm/>=6.5.3' }], [QS], []],
    ['a range around another affected version', [unaffected('*'), { version: '6.5.3' }], [QS], []],
    ['a range around the affected version', [unaffected('*'), { version: '6.5.2' }], [QS_653], []],
    [
      'a range that overlaps an unknown one',
      [unaffected('<7.0.0'), { range: 'vers:npm/>=6.5.3', status: 'unknown' }],
      [QS],
      [],
    ],
    [
      'a version in an affected range',
      [{ version: '6.5.2', status: 'unaffected' }, { range: 'vers:npm/*' }],
      [],
      [],
    ],
    [
      'a version beside an unreadable range',
      [{ version: '6.5.2', status: 'unaffected' }, { range: '<7' }],
      [],
      [],
    ],
    ['a range of another notation', [{ range: '<7', status: 'unaffected' }], [], ['not a range']],
  ])('unaffected versions: %s', async (_, versions, expected, reasons) => {
    const document = read(vulnerability('pkg:npm/qs', 'not_affected', { versions }));
    expect(await suppressed(document)).toEqual(expected);
    expect(document.notApplied.map(({ reason }) => reason)).toEqual(
      reasons.map((one) => expect.stringContaining(one)),
    );
  });

  it('of a component with a version, a range is about this version alone', async () => {
    const versions = (range: string) => ({ versions: [unaffected(range)] });
    expect(await suppressed(read(vulnerability('q', 'not_affected', versions('<7.0.0'))))).toEqual([QS]);
    const other = read(vulnerability('q', 'not_affected', versions('>=7.0.0')));
    expect(other).toMatchObject({
      suppressions: [],
      notApplied: [{ reason: expect.stringContaining('not the version') }],
    });
  });

  it('what it does not name is reported', () => {
    const document = read(vulnerability('missing'), { ...vulnerability('q'), affects: [] }, { id: 1 });
    expect(document.suppressions).toEqual([]);
    expect(document.notApplied).toHaveLength(3);
  });
});

it.each([
  ['', 'not valid JSON'],
  ['[]', 'neither'],
  ['{"@context":"https://openvex.dev/ns"}', '@id'],
  ['{"bomFormat":"CycloneDX","specVersion":"1.6"}', 'vulnerabilities'],
])('%j is no VEX document', (text, message) => {
  expect(readVex(text)).toContain(message);
});

describe('a document that nobody wrote by hand', () => {
  const head =
    '{"bomFormat": "CycloneDX", "specVersion": "1.5", "vulnerabilities": [{"id": "CVE-1"}], "components": ';

  it('is refused when it nests too deep', () => {
    const components = `${'[{"components": '.repeat(5_000)}[]${'}]'.repeat(5_000)}`;
    expect(readVex(`${head}${components}}`)).toBe('nests more than 500 levels deep');
    expect(readVex('['.repeat(1_000_000))).toBe('nests more than 500 levels deep');
    expect(readVex(`${head}[{"components": [{"purl": "pkg:npm/a"}]}]}`)).toMatchObject({ suppressions: [] });
  });

  it('is refused when it names too many packages', () => {
    const products = Array.from({ length: 400 }, () => ({
      '@id': 'https://example.com/shop',
      subcomponents: Array.from({ length: 300 }, (_, index) => ({ '@id': `pkg:npm/package-${index}` })),
    }));
    expect(() => openVex(statement(products))).toThrow('names more than 100000 packages or targets');
    expect(openVex(statement(products.slice(0, 2))).suppressions).toHaveLength(1_200);
  });

  it('is read without a statement that has too many other names', () => {
    const aliases = Array.from({ length: 200 }, (_, index) => `GHSA-${index}`);
    const many = statement([{ '@id': 'pkg:npm/a' }], { vulnerability: { name: 'CVE-2', aliases } });
    const { suppressions, notApplied } = openVex(many, statement([{ '@id': 'pkg:npm/a' }]));
    expect(suppressions).toHaveLength(1);
    expect(notApplied).toMatchObject([{ statement: '#0', reason: expect.stringContaining('aliases') }]);
  });
});
