import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { Inventory } from '../../src/model/scan/inventory.ts';
import { PRIVATE_NAME } from '../../src/model/scan/outcome.ts';
import { stillOpenAfter } from '../../src/policy/still-open.ts';
import { affected, factsOf, findingsOf, inventoryOf, lockfileOf, packageOf, resolved } from './facts.ts';

const never = () => false;

async function findingIn(...paths: readonly string[]): Promise<Finding> {
  const files = paths.map((path) => lockfileOf([affected('bad@1', ['GHSA-1'])], { path }));
  const [finding] = await findingsOf(factsOf(inventoryOf(...files)));
  if (finding === undefined) throw new Error('no finding to remember');
  return finding;
}

/** Paths at which the finding may still be open. */
const inRoot = await findingIn('package-lock.json');

function remaining(inventory: Inventory, { partial = false, finding = inRoot } = {}) {
  return stillOpenAfter(inventory, { partial })(finding, never)?.locations.map(({ path }) => path) ?? [];
}

const failed = { outcome: 'failed', reason: 'timed out' } as const;
const elsewhere = { outcome: 'private', reason: 'it comes from npm.acme.test' } as const;
const ownName = { outcome: 'private', reason: `bad ${PRIVATE_NAME}` } as const;
const missing = { outcome: 'missing', reason: 'not there' } as const;
const error = { code: 'syntax', message: 'not JSON' };
const unread = [{ kind: 'unread' as const, line: 3, message: 'node_modules/other: no version' }];
const unclear = [{ kind: 'unclear' as const, line: 3, message: 'too many edges' }];
const all = ['package-lock.json'];

describe('a stored finding', () => {
  it.each<[string, Inventory, readonly string[]]>([
    ['its package was removed', inventoryOf(lockfileOf([packageOf('fine@1')])), []],
    ['its package moved to another version', inventoryOf(lockfileOf([packageOf('bad@2')])), []],
    ['the issue was taken back', inventoryOf(lockfileOf([packageOf('bad@1')])), []],
    ['its look-up failed', inventoryOf(lockfileOf([packageOf('bad@1', { resolution: failed })])), all],
    [
      'the look-up of the version it moved to failed',
      inventoryOf(lockfileOf([packageOf('bad@2', { resolution: failed })])),
      all,
    ],
    ['the file states no version of it', inventoryOf(lockfileOf([packageOf('bad@')])), all],
    [
      'its version vanished from the index',
      inventoryOf(lockfileOf([packageOf('bad@1', { resolution: missing })])),
      all,
    ],
    [
      'its registry is another one now',
      inventoryOf(lockfileOf([packageOf('bad@1', { resolution: elsewhere })])),
      all,
    ],
    ['its name is private now', inventoryOf(lockfileOf([packageOf('bad@1', { resolution: ownName })])), []],
    [
      'another version of it comes from another registry now',
      inventoryOf(lockfileOf([packageOf('bad@2', { resolution: elsewhere })])),
      [],
    ],
    [
      'it moved to a version that is not in the index',
      inventoryOf(lockfileOf([packageOf('bad@2', { resolution: missing })])),
      [],
    ],
    ['another look-up failed', inventoryOf(lockfileOf([packageOf('fine@1', { resolution: failed })])), []],
    [
      'its lockfile was not read',
      { lockfiles: [], unread: [{ path: 'package-lock.json', sha256: '', error }] },
      all,
    ],
    [
      'another lockfile was not read',
      { lockfiles: [], unread: [{ path: 'other.json', sha256: '', error }] },
      [],
    ],
    ['its lockfile was not read completely', inventoryOf(lockfileOf([], { problems: unread })), all],
    [
      'it was not, but the package is there without the issue',
      inventoryOf(lockfileOf([packageOf('bad@1')], { problems: unread })),
      [],
    ],
    ['something else of its lockfile is not known', inventoryOf(lockfileOf([], { problems: unclear })), []],
    ['its lockfile is no longer part of the scan', inventoryOf(lockfileOf([], { path: 'other.json' })), []],
  ])('%s', async (_case, inventory, expected) => {
    expect(remaining(inventory)).toEqual(expected);
  });

  it.each([
    ['apps/', true],
    ['apps/web/', true],
    ['./', true],
    ['app/', false],
    ['apps/web2/', false],
  ])('stays where the folder %s was not read: %s', async (folder, stays) => {
    const finding = await findingIn('apps/web/package-lock.json');
    const inventory = { lockfiles: [], unread: [{ path: folder, error }] };
    expect(remaining(inventory, { finding })).toHaveLength(stays ? 1 : 0);
  });

  it('stays in lockfiles that a partial scan does not name, and only there', async () => {
    const finding = await findingIn('a.json', 'b.json');
    const scanned = inventoryOf(lockfileOf([], { path: 'a.json' }));
    expect(remaining(scanned, { finding })).toEqual([]);
    expect(remaining(scanned, { finding, partial: true })).toEqual(['b.json']);
  });

  it('stays in lockfiles that a scan requested later has judged', async () => {
    const stillOpen = stillOpenAfter(inventoryOf(lockfileOf([])), { partial: false });
    const finding = await findingIn('package-lock.json');
    expect(stillOpen(finding, (path) => path === 'package-lock.json')).toEqual(finding);
    expect(stillOpen(finding, never)).toBeUndefined();
  });

  it('stays where its rule failed on its package, and only there', () => {
    const inventory = inventoryOf(
      lockfileOf([packageOf('bad@1'), packageOf('fine@1')]),
      lockfileOf([packageOf('bad@2')], { path: 'other.json' }),
    );
    const finding = {
      ...inRoot,
      locations: ['package-lock.json', 'other.json'].map((path) => ({ path, dependencyPath: [] })),
    };
    const unjudgedAt = (rule: string, purl: string) =>
      stillOpenAfter(inventory, { partial: false, unjudged: [{ rule, purl, reason: 'it failed' }] })(
        finding,
        never,
      )?.locations.map(({ path }) => path) ?? [];
    expect(unjudgedAt('vulnerability', 'pkg:npm/bad@1')).toEqual(['package-lock.json']);
    expect(unjudgedAt('deprecated', 'pkg:npm/bad@1')).toEqual([]);
    expect(unjudgedAt('vulnerability', 'pkg:npm/fine@1')).toEqual([]);
  });

  it.each([
    ['deprecated', true],
    ['vanished', true],
    ['unindexed', true],
    ['licenses', true],
    ['suspicious', true],
    ['vulnerability', false],
    ['downgraded', false],
  ])('of %s stays where imported advisories are all that is known of its package: %s', (rule, stays) => {
    const record = { advisoriesOnly: true } as const;
    const inventory = inventoryOf(
      lockfileOf([packageOf('bad@1', { resolution: resolved('bad', '1', record) })]),
    );
    expect(remaining(inventory, { finding: { ...inRoot, rule } })).toEqual(stays ? all : []);
  });

  it('of an unindexed version is resolved when the index has it', async () => {
    const [finding] = await findingsOf(
      factsOf(inventoryOf(lockfileOf([packageOf('bad@1', { resolution: missing })]))),
    );
    const known = inventoryOf(lockfileOf([packageOf('bad@1', { resolution: resolved('bad', '1') })]));
    expect(remaining(known, { ...(finding === undefined ? {} : { finding }) })).toEqual([]);
  });
});
