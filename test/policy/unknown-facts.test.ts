import { describe, expect, it } from 'vitest';
import type { Inventory } from '../../src/model/inventory.ts';
import { judge } from '../../src/policy/judge.ts';
import { unknownFacts } from '../../src/policy/unknown-facts.ts';
import { affected, factsOf, inventoryOf, lockfileOf, packageOf } from './facts.ts';

const [remembered] = judge(factsOf(inventoryOf(lockfileOf([affected('bad@1', ['GHSA-1'])]))));

function isUnknown(inventory: Inventory): boolean {
  if (remembered === undefined) throw new Error('no finding to remember');
  return unknownFacts(inventory)(remembered);
}

const failed = { outcome: 'failed', reason: 'timed out' } as const;
const error = { code: 'syntax', message: 'not JSON' };

describe('what could not be found out', () => {
  it.each<[string, Inventory, boolean]>([
    ['the package is simply gone', inventoryOf(lockfileOf([packageOf('fine@1')])), false],
    ['its look-up failed', inventoryOf(lockfileOf([packageOf('bad@1', { resolution: failed })])), true],
    [
      'the look-up of the version it moved to failed',
      inventoryOf(lockfileOf([packageOf('bad@2', { resolution: failed })])),
      true,
    ],
    ['another look-up failed', inventoryOf(lockfileOf([packageOf('fine@1', { resolution: failed })])), false],
    [
      'its lockfile was not read',
      { lockfiles: [], unread: [{ path: 'package-lock.json', sha256: '', error }] },
      true,
    ],
    [
      'another lockfile was not read',
      { lockfiles: [], unread: [{ path: 'other.json', sha256: '', error }] },
      false,
    ],
    ['nothing of the folder was read', { lockfiles: [], unread: [{ path: './', error }] }, true],
    [
      'its entry was not read',
      inventoryOf(
        lockfileOf([], { problems: [{ kind: 'unread', line: 3, message: 'node_modules/bad: no version' }] }),
      ),
      true,
    ],
    [
      'an entry with its name in another word was not read',
      inventoryOf(
        lockfileOf([], {
          problems: [{ kind: 'unread', line: 3, message: 'node_modules/badger: no version' }],
        }),
      ),
      false,
    ],
    [
      'the lockfile is not part of the scan any more',
      inventoryOf(lockfileOf([], { path: 'other.json' })),
      false,
    ],
  ])('%s: %#', (_case, inventory, expected) => {
    expect(isUnknown(inventory)).toBe(expected);
  });

  it.each([
    ['apps/', true],
    ['apps/web/', true],
    ['apps/web/package-lock.json', true],
    ['app/', false],
    ['apps/web2/', false],
  ])('for a finding in apps/web/package-lock.json is anything where %s was not read: %s', (path, unknown) => {
    const file = lockfileOf([affected('bad@1', ['GHSA-1'])], { path: 'apps/web/package-lock.json' });
    const found = judge(factsOf(inventoryOf(file)));
    const isOpen = unknownFacts({ lockfiles: [], unread: [{ path, error }] });
    expect(found.map(isOpen)).toEqual([unknown]);
  });

  it('is nothing for a package without a name', () => {
    const problems = [{ kind: 'unread' as const, line: 1, message: 'x' }];
    const nameless = judge(factsOf(inventoryOf(lockfileOf([affected('@1', ['GHSA-1'])], { problems: [] }))));
    const unknown = unknownFacts(inventoryOf(lockfileOf([], { problems })));
    expect(nameless.map(unknown)).toEqual([false]);
  });
});
