import { signal } from '@preact/signals';
import { UNITS } from '../../../src/model/duration.ts';
import { formatDate, formatDistance, formatTime } from './format.ts';

/** Now, for distances of time; moves on every 15 s. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 15_000);

/** A time by its distance, with the date of one that is a day away or more, and the exact one on demand. */
export function Time({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <span class="faint">–</span>;
  const isFar = Math.abs(now.value - Date.parse(at)) >= UNITS.d;
  return (
    <time dateTime={at} title={formatTime(at)}>
      <span>{formatDistance(at, now.value)}</span>
      {isFar ? ' ' : ''}
      {isFar ? <span class="date">{formatDate(at, now.value)}</span> : null}
    </time>
  );
}
