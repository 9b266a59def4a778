import { hasLabels } from '../model/wildcard.ts';
import type { Config } from './schema.ts';

/** Returns how long the ledger of a target with some labels is kept, in ms; 0: it has none. */
export function ledgerKeep({
  ledger,
}: Pick<Config, 'ledger'>): (labels: Readonly<Record<string, string>>) => number {
  return (labels) => ledger.byLabel.findLast((entry) => hasLabels(labels, entry.labels))?.keep ?? ledger.keep;
}
