import { signal } from '@preact/signals';
import { formatDistance, formatTime } from './format.ts';

/** Now, for distances of time; moves on every 15 s. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 15_000);

/** A time by its distance, with the exact one on demand. */
export function Time({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatDistance(at, now.value)}
    </time>
  );
}
