import { setTimeout as sleep } from 'node:timers/promises';
import { YOUNG } from './fleet-data.ts';

/** Interval of the refreshes of young versions while deliveries are timed, in ms. */
export const YOUNG_MS = 3_000;

/** The service of the bench: it takes lines and answers lines. */
export interface ServiceLines {
  readonly write: (line: string) => void;
  readonly next: () => Promise<string>;
}

/**
 * Adds advisories on young package versions at random moments, one after the other, and prints the time from when the service
 * knows one to its deliveries, one for each target that holds the version. `holders`: their number, by package. `repetitions`: of
 * advisories.
 */
export async function timeDeliveries(
  service: ServiceLines,
  holders: Uint32Array,
  repetitions: number,
): Promise<void> {
  const young = Array.from({ length: YOUNG }, (_, at) => at * 50 + 3).filter(
    (one) => (holders[one] ?? 0) > 0,
  );
  const times: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    await sleep(Math.random() * YOUNG_MS);
    const chosen = young[Math.floor((repetition + 0.5) * (young.length / repetitions))] ?? 0;
    service.write(`advisory ${chosen} GHSA-young-${repetition}\n`);
    // Alerts of what was measured before come first.
    while ((await service.next()) !== 'added');
    const began = performance.now();
    for (let left = holders[chosen] ?? 0; left > 0; left -= 1) {
      await service.next();
      times.push(performance.now() - began);
    }
  }
  times.sort((left, right) => left - right);
  const seconds = (share: number): string =>
    ((times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0) / 1_000).toFixed(2);
  console.log(
    `from "the service knows" to "delivered" with watch.young: ${YOUNG_MS / 1_000} s: ${times.length} deliveries of ` +
      `${repetitions} advisories, p50 ${seconds(0.5)} s, p95 ${seconds(0.95)} s, longest ${seconds(1)} s`,
  );
}
