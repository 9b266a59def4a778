import { expect, it } from 'vitest';
import { isSupported, releaseIdOf, releaseIn } from '../../../src/model/fleet/release.ts';
import { principalOf } from '../../../src/operations/principal.ts';
import { shardOf } from '../../../src/store/shards/shard-layout.ts';

it('has an id that names its target, for rights and for shards', () => {
  const id = releaseIdOf('team/shop', '2.4.1');
  expect(releaseIn(id)).toEqual({ target: 'team/shop', release: '2.4.1' });
  expect(releaseIn('ghcr.io/team/shop@sha256:0f')).toBeUndefined();
  for (const count of [2, 3, 256]) expect(shardOf(id, count)).toBe(shardOf('team/shop', count));
  const sees = (pattern: string) =>
    principalOf({ name: 'ci', role: 'read', via: 'token', targets: [pattern], expiresAt: undefined }).sees(
      id,
    );
  expect(['team/shop', 'team/*', '*'].map(sees)).toEqual([true, true, true]);
  // Whoever names releases does not choose who sees them.
  expect(['other/shop', '*2.4.1', 'team/shop@*', 'team/sho'].map(sees)).toEqual([false, false, false, false]);
});

it('is supported to the end of its last day in UTC', () => {
  const at = (time: string) => isSupported('2028-01-01', Date.parse(time));
  expect([at('2028-01-01T23:59:59.999Z'), at('2028-01-02T00:00:00Z')]).toEqual([true, false]);
  expect(isSupported(undefined, Number.MAX_SAFE_INTEGER)).toBe(true);
});
