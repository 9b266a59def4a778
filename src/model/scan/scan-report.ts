import type { Inventory } from './inventory.ts';
import type { Verdict } from './verdict.ts';

/** Everything a finished scan can show: what was found in the files, and what was made of it. */
export interface ScanReport {
  readonly inventory: Inventory;
  readonly verdict: Verdict;
}
