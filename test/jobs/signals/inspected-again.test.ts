import { expect, it } from 'vitest';
import { inspectedAgainAt } from '../../../src/jobs/signals/inspect.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-24T12:00:00Z');
const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();
const options = { minimumAge: 72 * HOUR, now: NOW };

it.each([
  ['a young version is inspected each time', { publishedAt: ago(10) }, 0],
  ['so is a young one of which facts are not known', { publishedAt: ago(10), incompleteSince: ago(5) }, 0],
  ['an old one with all facts never is', { publishedAt: ago(100) }, undefined],
  ['what is not known is asked for at once', { publishedAt: ago(100), incompleteSince: ago(0) }, 0],
  ['then after as long as it has not been known', { incompleteSince: ago(2) }, 2],
  ['but after six hours at most', { incompleteSince: ago(100) }, 6],
  ['and no longer after two weeks', { incompleteSince: ago(15 * 24) }, undefined],
])('%s', (_what, inspection, hours) => {
  expect(inspectedAgainAt(inspection, options)).toBe(hours === undefined ? undefined : NOW + hours * HOUR);
});
