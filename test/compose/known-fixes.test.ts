import { expect, it } from 'vitest';
import { createKnownFixes } from '../../src/compose/known-fixes.ts';
import { createMemoryCache } from '../../src/insights/disk-cache/memory-cache.ts';
import type { VersionKey } from '../../src/model/lockfile/ecosystem.ts';
import { unexpected } from '../jobs/facts.ts';

const npm = (name: string): VersionKey => ({ system: 'NPM', name, version: '1.0.0' });

it('asks a question for one scan, and again when that scan is judged again', () => {
  const insights = {
    publishedVersions: unexpected,
    resolve: unexpected,
    dependencies: unexpected,
    requirements: unexpected,
    releases: {} as never,
  };
  const fixes = createKnownFixes(insights, createMemoryCache());
  const first = [
    { key: npm('a'), directs: [] },
    { key: npm('b'), directs: [npm('top')] },
  ];
  expect(fixes.unasked('one', first)).toEqual(first);
  expect(fixes.unasked('two', first)).toEqual([]);
  const other = { key: npm('b'), directs: [npm('other')] };
  expect(fixes.unasked('two', [...first, other])).toEqual([other]);
  expect(fixes.unasked('one', first)).toEqual(first);
});
