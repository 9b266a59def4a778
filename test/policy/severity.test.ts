import { describe, expect, it } from 'vitest';
import { severityOf } from '../../src/policy/rules/vulnerability.ts';

describe('the severity', () => {
  it.each([
    [0, 'none'],
    [0.1, 'low'],
    [3.9, 'low'],
    [4, 'medium'],
    [6.9, 'medium'],
    [7, 'high'],
    [8.9, 'high'],
    [9, 'critical'],
    [10, 'critical'],
    [undefined, 'unrated'],
  ])('of %s is %s', (score, severity) => {
    expect(severityOf({ id: 'GHSA-1', aliases: [], ...(score === undefined ? {} : { score }) })).toBe(
      severity,
    );
  });

  it('of malware is critical under any of its names, with and without a score', () => {
    expect(severityOf({ id: 'MAL-2025-1', aliases: [] })).toBe('critical');
    expect(severityOf({ id: 'GHSA-1', aliases: ['CVE-1', 'MAL-2025-1'], score: 3 })).toBe('critical');
    expect(severityOf({ id: 'NORMAL-1', aliases: [] })).toBe('unrated');
  });
});
