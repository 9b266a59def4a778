import { expect, test } from 'vitest';
import { matchesPattern } from '../../src/discovery/request/formats.ts';

test.each([
  ['^projects/[^/]+$', 'projects/a', true],
  ['^projects/[^/]+$', 'projects/a/b', false],
  // Unnecessary escapes, which some documents contain.
  ['^[\\w\\-\\_]+\\@x$', 'a-_@x', true],
  ['^[\\w\\-\\_]+\\@x$', 'a b@x', false],
  ['^[\\p{L}\\p{N}]+$', 'größe2', true],
  ['^[\\p{L}\\p{N}]+$', 'a-b', false],
  ['^.$', '🚲', true],
])('%s and %s: %s', (pattern, text, matches) => {
  expect(matchesPattern(pattern, text)).toBe(matches);
});

test.each(['\\A[a-z]+\\z', '^[[:alpha:]]+$', '\\Qa.b\\E', '(?P<name>x)', 'x++', '[a-z&&[^aeiou]]'])(
  '%s is of another dialect and left to the service',
  (pattern) => {
    expect(matchesPattern(pattern, 'b')).toBe(true);
  },
);
