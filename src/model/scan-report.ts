import type { Inventory } from './inventory.ts';
import type { Verdict } from './scan.ts';

/** Everything a finished scan can show: what was found in the files, and what was made of it. */
export interface ScanReport {
  readonly inventory: Inventory;
  readonly verdict: Verdict;
}
