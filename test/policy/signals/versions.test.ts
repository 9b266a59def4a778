import { describe, expect, it } from 'vitest';
import { comparedRelease } from '../../../src/policy/signals/detector.ts';

const release = (version: string, time: string) => ({
  version,
  publishedAt: Date.parse(time),
  isDefault: false,
  isDeprecated: false,
});

describe('the release with which another one is compared', () => {
  const releases = [
    release('1.0.0', '2026-05-01T00:00:00Z'),
    release('1.1.0', '2026-05-10T12:00:00Z'),
    release('1.1.1', '2026-05-11T11:00:00Z'),
    release('1.1.2', '2026-05-11T12:00:00Z'),
  ];

  it('is the last one that is a day older', () => {
    expect(comparedRelease(releases, '1.1.2')?.version).toBe('1.1.0');
    expect(comparedRelease(releases, '1.1.1')?.version).toBe('1.0.0');
  });

  it('is the one before it in a package that is younger than a day', () => {
    expect(comparedRelease(releases.slice(1), '1.1.1')?.version).toBe('1.1.0');
    expect(comparedRelease(releases, '1.0.0')).toBeUndefined();
  });
});
