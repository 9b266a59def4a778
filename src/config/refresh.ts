import { durationOf } from './values.ts';

const SECOND_MS = 1_000;

/** The part of `watch` about looking up again what targets hold. `0s`: never. */
const interval = (text: string) =>
  durationOf(text).refine((ms) => ms === 0 || ms >= SECOND_MS, { error: '`0s`, or at least `1s`' });

export const refreshSettings = {
  every: interval('6h').describe(
    'Interval at which all packages of all targets are looked up again. `0s`: never.',
  ),
  young: interval('10m').describe(
    'The same for versions that were published or first seen in the last 14 days.',
  ),
  staleAfter: durationOf('24h').describe(
    'When the service has not answered about a package version of a target for longer than this, that is an alert (rule `stale-facts`). Longer than `every`.',
  ),
  jitter: durationOf('1m').describe('Each start is delayed by a random time up to this.'),
};
