import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseSince } from '../../src/cli/program/admin.ts';
import { lockhound } from './lockhound.ts';

beforeAll(() => void vi.stubEnv('REDIS_URL', undefined));
afterAll(() => void vi.unstubAllEnvs());

describe('lockhound deliveries', () => {
  it('has help with an example', async () => {
    const { code, out } = await lockhound(['deliveries', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('lockhound deliveries retry --failed --since 6h');
  });

  it('needs the Redis of the workers', async () => {
    const { code, note } = await lockhound(['deliveries', 'list']);
    expect(code).toBe(2);
    expect(note).toContain('REDIS_URL');
  });

  it.each([[[]], [['msg_1', '--failed']]])(
    'retry asks for ids or --failed, one of both: %j',
    async (args) => {
      const { code, note } = await lockhound(['deliveries', 'retry', ...args]);
      expect(code).toBe(2);
      expect(note).toContain('name the ids of deliveries, or use --failed');
    },
  );

  it.each([
    ['--since', 'yesterday', 'a duration such as'],
    ['--limit', '0', 'at least 1'],
  ])('list refuses %s %s', async (option, value, message) => {
    const { code, note } = await lockhound(['deliveries', 'list', option, value]);
    expect(code).toBe(2);
    expect(note).toContain(message);
  });
});

describe('--since', () => {
  it('accepts a duration or a time', () => {
    expect(Date.now() - parseSince('2h')).toBeGreaterThanOrEqual(7_199_000);
    expect(Date.now() - parseSince('2h')).toBeLessThan(7_260_000);
    expect(parseSince('2026-05-01T08:00Z')).toBe(Date.parse('2026-05-01T08:00:00Z'));
    expect(() => parseSince('12')).toThrow();
  });
});
