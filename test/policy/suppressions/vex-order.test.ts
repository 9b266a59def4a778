import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/model/scan/finding.ts';
import { createSuppressor } from '../../../src/policy/suppressions/suppressor.ts';
import { readVex } from '../../../src/policy/suppressions/vex/read-vex.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const [MARCH, APRIL] = ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'];

interface Written {
  readonly at?: string | undefined;
  readonly status?: string;
  readonly names?: readonly string[];
  readonly product?: string;
  readonly part?: string;
  readonly [field: string]: unknown;
}

/** A statement of OpenVEX: by default that all versions of qs are not affected by CVE-1. */
function statement({
  at,
  status = 'not_affected',
  names = ['CVE-1'],
  product = 'pkg:npm/qs',
  part,
  ...more
}: Written) {
  const [name, ...aliases] = names;
  return {
    vulnerability: { name, aliases },
    products: [{ '@id': product, ...(part === undefined ? {} : { subcomponents: [{ '@id': part }] }) }],
    status,
    ...(status === 'not_affected' ? { justification: 'component_not_present' } : {}),
    ...(at === undefined ? {} : { timestamp: at }),
    ...more,
  };
}

const openVex = (statements: readonly Written[], id = 'https://example.com/vex') => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': id,
  author: 'Security',
  timestamp: '2026-02-01T00:00:00Z',
  statements: statements.map(statement),
});

const cycloneDx = (vulnerabilities: readonly object[], timestamp: string | undefined = MARCH) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  metadata: { timestamp },
  vulnerabilities,
});

const analysed = (state: string, more: object = {}) => ({
  id: 'CVE-1',
  analysis: { state, ...(state === 'not_affected' ? { justification: 'code_not_reachable' } : {}), ...more },
  affects: [{ ref: 'pkg:npm/qs' }],
});

const FINDING: Finding = {
  fingerprint: 'f',
  rule: 'vulnerability',
  level: 'alert',
  severity: 'critical',
  title: 't',
  package: {
    ecosystem: 'npm',
    name: 'qs',
    version: '6.5.2',
    purl: 'pkg:npm/qs@6.5.2',
    direct: true,
    groups: [],
  },
  locations: [{ path: 'a.json', dependencyPath: [] }],
  advisory: { id: 'GHSA-1', aliases: ['CVE-1'], title: 't', url: 'u' },
};

/** Whether documents together suppress the finding, why not, and what of them was refused. */
async function read(documents: readonly object[], finding: Finding = FINDING) {
  const parsed = documents.map((one) => readVex(JSON.stringify(one), NOW));
  const valid = parsed.filter((one) => typeof one !== 'string');
  expect(valid).toHaveLength(documents.length);
  const suppressor = await createSuppressor(
    valid.flatMap(({ suppressions }) => suppressions),
    { id: 'shop', labels: {} },
    { now: NOW, targetLimit: 'critical' },
  );
  return {
    suppressed: suppressor.suppress(finding).suppressed !== undefined,
    unused: suppressor.unused().map(({ reason }) => reason),
    refused: valid.flatMap(({ notApplied }) => notApplied.map((one) => `${one.statement} ${one.reason}`)),
  };
}

describe('of several statements', () => {
  it.each<[boolean, string, readonly Written[]]>([
    [true, 'one alone holds', [{}]],
    [false, 'a later one counts', [{ at: MARCH }, { at: APRIL, status: 'affected' }]],
    [false, 'a later one before it counts', [{ at: APRIL, status: 'affected' }, { at: MARCH }]],
    [true, 'an earlier one does not count', [{ at: MARCH, status: 'affected' }, { at: APRIL }]],
    [
      true,
      'last_updated is the time',
      [
        { at: MARCH, last_updated: '2026-05-01T00:00:00Z' },
        { at: APRIL, status: 'affected' },
      ],
    ],
    [false, 'an investigation counts', [{ at: MARCH }, { at: APRIL, status: 'under_investigation' }]],
    [false, 'the safe one of two at a time counts', [{ status: 'affected' }, {}]],
    [
      false,
      'times in different zones are compared',
      [{ at: '2026-04-01T01:00:00+02:00' }, { at: '2026-03-31T23:30:00Z', status: 'affected' }],
    ],
    [
      false,
      'one under an alias counts',
      [
        { at: MARCH, names: ['CVE-1', 'GHSA-1'] },
        { at: APRIL, names: ['GHSA-1'], status: 'affected' },
      ],
    ],
    [
      false,
      'one under an alias that only the document knows counts',
      [
        { at: MARCH, names: ['CVE-1', 'SNYK-1'] },
        { at: APRIL, names: ['snyk-1'], status: 'affected' },
      ],
    ],
    [
      false,
      'one under an alias of an alias counts',
      [
        { at: MARCH, names: ['CVE-1', 'SNYK-1'] },
        { at: MARCH, names: ['SNYK-1', 'OTHER-1'], product: 'pkg:npm/a' },
        { at: APRIL, names: ['OTHER-1'], status: 'affected' },
      ],
    ],
    [
      true,
      'one about another vulnerability does not count',
      [{ at: MARCH }, { at: APRIL, names: ['CVE-2'], status: 'affected' }],
    ],
    [
      true,
      'one about another package does not count',
      [{ at: MARCH }, { at: APRIL, product: 'pkg:npm/a', status: 'affected' }],
    ],
    [
      false,
      'one about the exact version counts',
      [{ at: MARCH }, { at: APRIL, product: 'pkg:npm/qs@6.5.2', status: 'affected' }],
    ],
    [
      false,
      'one about the exact version counts at the same time',
      [{}, { product: 'pkg:npm/qs@6.5.2', status: 'affected' }],
    ],
    [
      false,
      'an earlier one about the exact version counts',
      [{ at: APRIL }, { at: MARCH, product: 'pkg:npm/qs@6.5.2', status: 'affected' }],
    ],
    [
      true,
      'one about another version does not count',
      [{ at: MARCH }, { at: APRIL, product: 'pkg:npm/qs@6.5.3', status: 'affected' }],
    ],
    [
      true,
      'the exact version holds against the package',
      [{ product: 'pkg:npm/qs@6.5.2' }, { status: 'affected' }],
    ],
    [
      false,
      'and not against a later one',
      [
        { at: MARCH, product: 'pkg:npm/qs@6.5.2' },
        { at: APRIL, status: 'affected' },
      ],
    ],
    [
      false,
      'one about a build of the package counts',
      [{ at: MARCH }, { at: APRIL, product: 'pkg:npm/qs@6.5.2?arch=x#lib', status: 'affected' }],
    ],
    [
      false,
      'one about a part of a package counts',
      [{ at: MARCH }, { at: APRIL, product: 'pkg:npm/express', part: 'pkg:npm/qs', status: 'affected' }],
    ],
    [
      false,
      'one about the target counts',
      [{ at: MARCH }, { at: APRIL, product: 'shop', status: 'affected' }],
    ],
    [
      true,
      'one about another target does not count',
      [{ at: MARCH }, { at: APRIL, product: 'other', status: 'affected' }],
    ],
    [
      true,
      'the target holds against the package',
      [{ product: 'shop', part: 'pkg:npm/qs' }, { status: 'affected' }],
    ],
    [
      false,
      'an empty list of parts is the whole',
      [
        { at: MARCH },
        { at: APRIL, status: 'affected', products: [{ '@id': 'pkg:npm/qs', subcomponents: [] }] },
      ],
    ],
  ])('suppressed: %s: %s', async (expected, _name, statements) => {
    expect((await read([openVex(statements)])).suppressed).toBe(expected);
    expect((await read([openVex(statements.toReversed())])).suppressed).toBe(expected);
    const documents = statements.map((one, index) => openVex([one], `https://example.com/${index}`));
    const hasChain = statements.length > 2;
    if (!hasChain) expect((await read(documents)).suppressed).toBe(expected);
  });

  it('says which one overrules another', async () => {
    const { unused } = await read([
      openVex([{ at: MARCH }, { at: APRIL, status: 'affected', status_notes: 'is called' }]),
    ]);
    expect(unused).toEqual(['vex https://example.com/vex #1 1 overrules it: affected: is called']);
  });

  it('leaves suppressions that are no statements alone', async () => {
    const affected = readVex(JSON.stringify(openVex([{ at: APRIL, status: 'affected' }])), NOW);
    if (typeof affected === 'string') throw new Error(affected);
    const own = { id: 'own', source: 'configuration', reason: 'ours', advisories: ['CVE-1'] } as const;
    const target = { id: 'shop', labels: {} };
    const suppressor = await createSuppressor([own, ...affected.suppressions], target, {
      now: NOW,
      targetLimit: 'critical',
    });
    expect(suppressor.suppress(FINDING).suppressed).toMatchObject({ by: 'own' });
  });
});

describe('a statement is refused', () => {
  it.each<[string, Written]>([
    ['`not_affected` needs a justification or an impact statement', { justification: '' }],
    [
      '`not_affected` needs a justification or an impact statement',
      { justification: ' ', impact_statement: ' \n' },
    ],
    [
      '"it_is_fine" is not a justification of OpenVEX',
      { justification: 'it_is_fine', impact_statement: 'x' },
    ],
    ['is of 2030-01-01T00:00:00Z, which is in the future', { at: '2030-01-01T00:00:00Z' }],
    ['is of 2030-01-01T00:00:00Z, which is in the future', { at: '2030-01-01T00:00:00Z', status: 'fixed' }],
    ['has the time "soon", which is not one by RFC 3339', { at: 'soon' }],
    ['has the time "2026-02-30T00:00:00Z", which is not one by RFC 3339', { at: '2026-02-30T00:00:00Z' }],
    ['"harmless" is not a status of OpenVEX: it counts as `affected`', { status: 'harmless' }],
    ['names a product with neither `@id` nor purl', { products: [{}] }],
  ])('because it %s', async (reason, written) => {
    const { suppressed, refused } = await read([openVex([written])]);
    expect(suppressed).toBe(false);
    expect(refused).toEqual([`#0 ${reason}`]);
  });

  it('and is not when an impact statement explains it', async () => {
    const document = openVex([{ justification: undefined, impact_statement: 'is never called' }]);
    expect(await read([document])).toEqual({ suppressed: true, unused: [], refused: [] });
  });

  it('but counts as the latest one when it says that the finding counts', async () => {
    for (const at of ['2030-01-01T00:00:00Z', 'soon']) {
      const { suppressed, refused } = await read([openVex([{ at: APRIL }, { at, status: 'affected' }])]);
      expect(suppressed).toBe(false);
      expect(refused).toEqual([expect.stringContaining('it counts as the latest')]);
    }
    expect((await read([openVex([{ at: MARCH }, { at: APRIL, status: 'harmless' }])])).suppressed).toBe(
      false,
    );
  });
});

describe('CycloneDX', () => {
  it.each<[boolean, string, readonly object[]]>([
    [false, 'the same id twice', [analysed('not_affected'), analysed('exploitable')]],
    [false, 'the same id twice, in the other order', [analysed('exploitable'), analysed('not_affected')]],
    [false, 'an analysis that goes on', [analysed('not_affected'), analysed('in_triage')]],
    [true, 'a later one', [analysed('exploitable'), analysed('not_affected', { lastUpdated: APRIL })]],
    [
      false,
      'a later contrary one',
      [analysed('not_affected'), analysed('exploitable', { firstIssued: APRIL })],
    ],
    [
      false,
      'the other name',
      [
        { ...analysed('not_affected'), references: [{ id: 'X-1' }] },
        { ...analysed('exploitable'), id: 'X-1' },
      ],
    ],
    [true, 'one without an analysis', [analysed('resolved'), { ...analysed(''), analysis: undefined }]],
    [false, 'an unknown state', [analysed('resolved'), analysed('fine')]],
    [
      false,
      'its versions',
      [
        analysed('not_affected'),
        {
          ...analysed('exploitable'),
          affects: [{ ref: 'pkg:npm/qs', versions: [{ range: 'vers:npm/<6.5.3' }] }],
        },
      ],
    ],
    [
      true,
      'other versions',
      [
        analysed('not_affected'),
        { ...analysed('exploitable'), affects: [{ ref: 'pkg:npm/qs', versions: [{ version: '6.5.3' }] }] },
      ],
    ],
  ])('suppressed: %s: %s', async (expected, _name, vulnerabilities) => {
    expect((await read([cycloneDx(vulnerabilities)])).suppressed).toBe(expected);
  });

  it.each<[string, object]>([
    ['`not_affected` needs a justification or a detail', { justification: '' }],
    ['`not_affected` needs a justification or a detail', { justification: '', detail: ' \n' }],
    ['"trust_us" is not a justification of CycloneDX', { justification: 'trust_us' }],
    ['is of 2030-01-01T00:00:00Z, which is in the future', { lastUpdated: '2030-01-01T00:00:00Z' }],
  ])('is refused because it %s', async (reason, analysis) => {
    const { suppressed, refused } = await read([cycloneDx([analysed('not_affected', analysis)])]);
    expect([suppressed, refused]).toEqual([false, [`#0 ${reason}`]]);
  });

  it('without any time holds alone, and against nothing', async () => {
    const timeless = { ...cycloneDx([analysed('not_affected')]), metadata: {} };
    expect((await read([timeless])).suppressed).toBe(true);
    expect((await read([timeless, openVex([{ at: MARCH, status: 'affected' }])])).suppressed).toBe(false);
    const affected = { ...cycloneDx([analysed('exploitable')]), metadata: {} };
    expect((await read([affected, openVex([{ at: APRIL }])])).suppressed).toBe(false);
  });

  it('and OpenVEX are one set of statements', async () => {
    const affected = openVex([{ at: APRIL, status: 'affected' }]);
    expect((await read([cycloneDx([analysed('not_affected')]), affected])).suppressed).toBe(false);
    const later = cycloneDx([analysed('not_affected')], '2026-05-01T00:00:00Z');
    expect((await read([later, affected])).suppressed).toBe(true);
  });
});
