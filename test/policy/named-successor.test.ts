import { describe, expect, it } from 'vitest';
import { namedSuccessor } from '../../src/policy/rules/deprecated.ts';

describe('the successor that a deprecation names', () => {
  it.each([
    ['This package has moved to @scope/new-name', '@scope/new-name'],
    ['Please use new-name instead.', 'new-name'],
    ['Renamed to `newname`. See the readme.', 'newname'],
    ['replaced by newname; this package is no longer supported', 'newname'],
    ['deprecated in favor of @a/b.', '@a/b'],
    ['Please upgrade to v2', undefined],
    ['Please use 4.x instead', undefined],
    ['use the latest version instead', undefined],
    ['No longer supported', undefined],
    ['use old-name@2 instead', undefined],
    ['Please upgrade to version 7 or higher', undefined],
    ['broken because some-thing failed', undefined],
    ['', undefined],
  ])('%j', (message, expected) => {
    expect(namedSuccessor(message, 'old-name')).toBe(expected);
  });
});
