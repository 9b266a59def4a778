import type { Finding } from '../model/finding.ts';
import { RULES } from './catalog.ts';
import { createPathFinder } from './dependency-path.ts';
import { compareFindingOrder } from './finding-order.ts';
import { placedPackages } from './placed-packages.ts';
import type { ScanFacts } from './rule.ts';

/** All findings of a scan by every rule, worst first, then by package and issue. */
export function judge(facts: ScanFacts): readonly Finding[] {
  const packages = placedPackages(facts.inventory, createPathFinder(facts));
  return RULES.flatMap((rule) => rule.judge({ ...facts, packages })).sort(compareFindingOrder);
}
