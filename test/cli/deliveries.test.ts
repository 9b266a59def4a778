import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sinceOf } from '../../src/operations/parameters.ts';
import { openFleetCli } from './fleet/fleet-cli.ts';
import { lockhound } from './lockhound.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());

describe('lockhound deliveries', () => {
  it('has help with an example', async () => {
    const { code, out } = await lockhound(['deliveries', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('lockhound deliveries retry --state failed --since 6h');
  });

  it('needs the Redis of the workers', async () => {
    const url = process.env['REDIS_URL'];
    vi.stubEnv('REDIS_URL', undefined);
    const { code, note } = await lockhound(['deliveries']);
    vi.stubEnv('REDIS_URL', url);
    expect(code).toBe(2);
    expect(note).toContain('REDIS_URL');
  });

  it('says that there are none, and what became of each that is sent again', async () => {
    expect(await lockhound(['deliveries'])).toEqual({
      code: 0,
      out: 'deliveries  none\n',
      note: '',
    });
    expect(await lockhound(['deliveries', 'retry', 'msg_1', 'msg_2'])).toEqual({
      code: 1,
      out: 'deliveries (2)\n  msg_1  unknown\n  msg_2  unknown\n',
      note: '',
    });
    expect((await lockhound(['deliveries', 'resume', 'default'])).note).toContain('is not stopped');
  });

  it('names the key that holds something else, without a stack', async () => {
    const key = '{lockhound}:deliveries:delivered';
    await cli.redis.set(key, 'x');
    const { code, note } = await lockhound(['deliveries']);
    await cli.redis.del(key);
    expect(code).toBe(2);
    expect(note).toMatch(
      /^error: Redis: WRONGTYPE .* \([A-Z]+ \{lockhound\}:deliveries:delivered\) \[redis-refused\]\n$/,
    );
  });

  it.each([[[]], [['msg_1', '--state', 'failed']]])(
    'retry asks for ids or a state, one of both: %j',
    async (args) => {
      const { code, note } = await lockhound(['deliveries', 'retry', ...args]);
      expect(code).toBe(2);
      expect(note).toContain('name either deliveries, or a state');
    },
  );

  it.each([
    ['--since', 'yesterday', 'a duration such as'],
    ['--limit', '0', 'at least 1'],
  ])('list refuses %s %s', async (option, value, message) => {
    const { code, note } = await lockhound(['deliveries', option, value]);
    expect(code).toBe(2);
    expect(note).toContain(message);
  });
});

describe('--since', () => {
  it('accepts a duration or a time', () => {
    expect(Date.now() - (sinceOf('2h') ?? 0)).toBeGreaterThanOrEqual(7_199_000);
    expect(Date.now() - (sinceOf('2h') ?? 0)).toBeLessThan(7_260_000);
    expect(sinceOf('2026-05-01T08:00Z')).toBe(Date.parse('2026-05-01T08:00:00Z'));
    expect(() => sinceOf('12')).toThrow();
  });
});
