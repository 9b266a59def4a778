import { describe, expect, it } from 'vitest';
import { inventorySchema } from '../../../src/model/scan/inventory.ts';
import { verdictSchema } from '../../../src/model/scan/verdict.ts';
import { INVENTORY, VERDICT } from '../../../src/model/stored/catalog.ts';
import type {
  ExpandLockfile,
  PackedLockfile,
  PackedLockfiles,
  StoredKind,
} from '../../../src/model/stored/kind.ts';
import type { ValueOf } from '../../../src/model/stored/value-of.ts';

const record = {
  versionKey: { system: 'NPM', name: 'a', version: '1.0.0' },
  isDefault: true,
  isDeprecated: false,
  licenses: ['MIT'],
  advisoryIds: ['GHSA-1'],
};
const locked = {
  id: 'a@1.0.0',
  ecosystem: 'npm',
  name: 'a',
  version: '1.0.0',
  purl: 'pkg:npm/a@1.0.0',
  groups: ['dev'],
  resolution: { outcome: 'resolved', record },
};
const packages = [
  locked,
  {
    ...locked,
    direct: false,
    line: 7,
    dependencies: ['b@2', 'c@3'],
    resolution: { outcome: 'resolved', record: { ...record, licenses: ['["MIT","ISC"]'] } },
  },
  { ...locked, id: 'a@1.0.0 (git+https://host.example/a)', direct: true, dependencies: [] },
  {
    ...locked,
    resolution: {
      outcome: 'resolved',
      seenBefore: true,
      record: {
        ...record,
        versionKey: { system: 'PYPI', name: 'A', version: '1.0' },
        publishedAt: '2026-01-01T00:00:00Z',
        deprecatedReason: 'use b',
        licenses: ['MIT', 'ISC'],
      },
    },
  },
  {
    ...locked,
    version: '',
    id: 'a@',
    resolution: { outcome: 'missing', reason: 'unknown', seenBefore: false },
  },
  { ...locked, resolution: { outcome: 'private' } },
  {
    ...locked,
    integrity: [{ algorithm: 'sha512', value: 'AA==', encoding: 'base64' }],
    source: { kind: 'registry' },
    installScript: true,
  },
];
const lockfile = { path: 'p', sha256: '0', format: 'f', packages, problems: [] };
const inventory = inventorySchema.parse({
  lockfiles: [lockfile, { ...lockfile, path: 'q', packages: [] }],
  unread: [{ path: 'r', error: { code: 'c', message: 'm' } }],
  readAt: 5,
});

interface Columns {
  readonly flags: string;
}

interface PackedInventory {
  readonly lockfiles: readonly { readonly resolutions: Columns }[];
}

const finding = (fingerprint: string) => ({
  fingerprint,
  rule: 'vulnerability',
  level: 'alert',
  severity: 'high',
  title: 'a title',
  package: { ecosystem: 'npm', name: 'a', version: '1', purl: 'pkg:npm/a@1', direct: true, groups: [] },
  locations: [],
});
const counts = { critical: 0, high: 1, medium: 0, low: 0, none: 0, unrated: 0 };
const outcomes = { resolved: 1, missing: 0, unsupported: 0, private: 0, failed: 0, uncovered: 0 };
const findings = [finding('first'), finding('second')];
const verdict = {
  scan: 's',
  target: { id: 't', labels: {} },
  requestedAt: '2026-01-01T00:00:00Z',
  findings,
  changes: [
    { transition: 'opened', finding: findings[1] },
    { transition: 'resolved', finding: finding('third') },
  ],
  gaps: [],
  complete: true,
  partial: false,
  open: counts,
  kept: 0,
  counts: { lockfiles: 1, packages: 1, outcomes, severities: counts, notes: 0 },
  superseded: false,
} as ValueOf<typeof verdictSchema>;

async function stored<Value>(
  { form }: StoredKind<Value>,
  value: Value,
  lockfiles?: PackedLockfiles,
): Promise<unknown> {
  return JSON.parse(JSON.stringify(await form?.pack(value, lockfiles)));
}

/** In place of the compact form, which has only what a lockfile states. */
const compact: PackedLockfile = { ids: Buffer.from('ids'), rest: 'rest' };
const plain = inventorySchema.parse({
  lockfiles: [{ ...lockfile, packages: packages.slice(0, 6) }],
  unread: [],
});
const expand: ExpandLockfile = async ({ ids, rest }) => {
  expect([ids.toString(), rest.toString()]).toEqual(['ids', 'rest']);
  return (plain.lockfiles[0]?.packages ?? []).map(({ resolution: _, ...one }) => ({
    ...one,
    direct: one.direct,
    integrity: [],
    source: { kind: 'registry' },
    line: one.line,
    dependencies: one.dependencies,
  }));
};

describe('the stored form of an inventory', () => {
  it('has everything that the inventory has', async () => {
    const read = await INVENTORY.form?.unpack(await stored(INVENTORY, inventory), expand);
    expect(inventorySchema.parse(read)).toEqual(inventory);
  });

  it('has no names of fields', async () => {
    const lockfiles = [{ ...lockfile, packages: packages.slice(0, 6) }];
    const text = JSON.stringify(await stored(INVENTORY, inventorySchema.parse({ lockfiles, unread: [] })));
    expect(text).not.toMatch(/"(purl|resolution|versionKey)"/);
  });
});

describe('the stored form of a lockfile that is known in its compact form', () => {
  const known = new Map([['p', compact]]);

  it('has the resolutions of its packages', async () => {
    const read = await INVENTORY.form?.unpack(await stored(INVENTORY, plain, known), expand);
    expect(inventorySchema.parse(read)).toEqual(plain);
  });

  it('has no packages', async () => {
    const text = JSON.stringify(await stored(INVENTORY, plain, known));
    expect(text).not.toMatch(/pkg:|"packages"/);
    expect(text).toContain(`"ids":"${Buffer.from('ids').toString('base64')}"`);
  });

  it('is not used for packages with digests and sources', async () => {
    const packed = await stored(INVENTORY, inventory, known);
    expect(packed).toEqual(await stored(INVENTORY, inventory));
  });

  it.each([
    ['columns are missing', (columns: Columns) => ({ ...columns, licenses: undefined })],
    ['it has too few packages', (columns: Columns) => ({ ...columns, flags: columns.flags.slice(1) })],
    ['its resolutions are absent', () => undefined],
  ])('is invalid when %s', async (_, change) => {
    const packed = (await stored(INVENTORY, plain, known)) as PackedInventory;
    const lockfiles = packed.lockfiles.map((one) => ({ ...one, resolutions: change(one.resolutions) }));
    const read = await INVENTORY.form?.unpack({ ...packed, lockfiles }, expand);
    expect(inventorySchema.safeParse(read).error?.issues[0]?.path).toEqual(['lockfiles', 0, 'packages']);
  });

  it.each([
    ['an outcome', { outcome: [9, 9, 9, 9, 9, 9] }],
    ['licenses', { licenseLists: [] }],
    ['rows', { reasons: [7, null] }],
  ])('is invalid with %s that cannot be read', async (_, change) => {
    const packed = (await stored(INVENTORY, plain, known)) as PackedInventory;
    const lockfiles = packed.lockfiles.map((one) => ({
      ...one,
      resolutions: { ...one.resolutions, ...change },
    }));
    const read = await INVENTORY.form?.unpack({ ...packed, lockfiles }, expand);
    expect(inventorySchema.safeParse(read).success).toBe(false);
  });
});

describe('the stored form of a verdict', () => {
  it('has everything that the verdict has', async () => {
    const read = await VERDICT.form?.unpack(await stored(VERDICT, verdict), expand);
    expect(verdictSchema.parse(read)).toEqual(verdictSchema.parse(verdict));
  });

  it('has each finding once', async () => {
    const text = JSON.stringify(await stored(VERDICT, verdict));
    expect(text.match(/"second"/g)).toHaveLength(1);
    expect(text.match(/"third"/g)).toHaveLength(1);
  });

  it('is invalid when a change has a finding that is not there', async () => {
    const packed = (await stored(VERDICT, verdict)) as typeof verdict;
    const read = await VERDICT.form?.unpack({ ...packed, findings: [] }, expand);
    expect(verdictSchema.safeParse(read).error?.issues[0]?.path).toEqual(['changes', 0, 'finding']);
  });
});

it.each([
  ['inventory', INVENTORY.form, inventory],
  ['verdict', VERDICT.form, verdict],
] as const)('what is not packed stays as it is: %s', async (_, form, value) => {
  const odd = [null, 7, [], {}, { lockfiles: 7, findings: 7 }, { lockfiles: [7, { packages: 7 }] }];
  for (const one of [value, ...odd]) expect(await form?.unpack(one, expand)).toEqual(one);
});
