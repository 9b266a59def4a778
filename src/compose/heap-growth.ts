import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Resident memory that garbage may fill. The peak is up to a sixth larger, because the worker continues while V8 marks and because V8
 * moves objects to free pages. A worker is to stay below 300 MiB.
 */
const RESIDENT_BYTES = 244 * 1_048_576;
/** Growth of the old generation beyond its live part before the next full collection. Less costs too much processor time. */
const LEAST_PERCENT = 40;
/** More is too much where the live part grows at the same time. */
const MOST_PERCENT = 150;
/** Room for young objects that is enough; it doubles each time, and once or twice more before this is seen. */
const ENOUGH_YOUNG_BYTES = 16 * 1_048_576;

/**
 * Keeps the memory of a long-running process near what it uses. By itself V8 lets garbage grow to several times the live heap, and
 * takes up to 130 MB for young objects. After each full collection the old generation may grow into what `RESIDENT_BYTES` leaves. Call
 * it after the modules are loaded: V8 does not use cached code that was compiled with other flags.
 */
export function limitHeapGrowth(): void {
  const { committed } = heapSizes();
  const leastOthers = process.memoryUsage.rss() - committed;
  let mostCommitted = committed;
  let growsYoung = true;
  const limit = (isFull: boolean): void => {
    const sizes = heapSizes();
    mostCommitted = Math.max(mostCommitted, sizes.committed);
    if (isFull) {
      // V8 keeps the pages that a collection empties, and takes them first: they are resident, but not committed, and not used by others.
      const others = Math.max(process.memoryUsage.rss() - mostCommitted, leastOthers);
      setFlagsFromString(`--heap-growing-percent=${growthPercent(sizes.live, others)}`);
    }
    // V8 reads the largest size of the young generation at its start only. It makes it smaller while the process is idle: without growth
    // it stays at 1 MB, and each megabyte is then a collection.
    const grows = sizes.young < ENOUGH_YOUNG_BYTES;
    if (grows === growsYoung) return;
    setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`);
    growsYoung = grows;
  };
  const observer = new PerformanceObserver((seen) => limit(seen.getEntries().some(isFullCollection)));
  observer.observe({ entryTypes: ['gc'] });
  limit(true);
}

function isFullCollection(entry: PerformanceEntry & { readonly detail?: unknown }): boolean {
  const { kind } = entry.detail as { readonly kind: number };
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** `others`: resident memory besides the old generation, in bytes. */
function growthPercent(live: number, others: number): number {
  const percent = Math.floor((100 * (RESIDENT_BYTES - others - live)) / live);
  return Math.min(Math.max(percent, LEAST_PERCENT), MOST_PERCENT);
}

/** Sizes in bytes: of young objects, of what the old generation takes (`committed`), and of the objects in it (`live`). */
function heapSizes() {
  let [young, committed, live] = [0, 0, 0];
  for (const { space_name, space_size, space_used_size } of getHeapSpaceStatistics()) {
    if (space_name.startsWith('new_')) young += space_size;
    else {
      committed += space_size;
      live += space_used_size;
    }
  }
  return { young, committed, live };
}
