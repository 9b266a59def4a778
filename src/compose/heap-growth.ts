import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Growth of the heap beyond its live part before the next full collection. Measured on a machine under load: two workers that scan 616
 * packages for the first time (`npm run bench -- worker`), and one that judges 500 targets of 1,000 packages (`-- fleet 500 1000`).
 *
 * | percent | processor time of a scan | peak of a worker, MiB | peak with the fleet, MiB |
 * |---|---|---|---|
 * | 40 | 100 % | 214 to 237 | 232 |
 * | 70 | 98 % | 227 to 243 | 240 |
 * | 100 | 94 % | 243 to 257 | 258 |
 * | by V8 itself | 85 % | 390 to 459 | |
 *
 * With 10,000 targets and 100,000 package versions a worker has a peak of 289 MiB at 40 percent. It is to stay below 300 MiB.
 */
const GROWTH_PERCENT = 40;
/** Room for young objects that is enough; it doubles each time, and once or twice more before this is seen. */
const ENOUGH_YOUNG_BYTES = 16 * 1_048_576;

/**
 * Keeps the memory of a long-running process near what it uses. By itself V8 lets garbage grow to several times the live heap, and
 * takes up to 130 MB for young objects. Call it after the modules are loaded: V8 does not use cached code that was compiled with other
 * flags.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  // V8 reads the largest size of the young generation at its start only.
  const observer = new PerformanceObserver(limitYoung);
  function limitYoung(): void {
    if (youngBytes() < ENOUGH_YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  }
  observer.observe({ entryTypes: ['gc'] });
  limitYoung();
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
