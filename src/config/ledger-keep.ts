import type { Config } from './schema.ts';

/** Returns how long the ledger of a target with some labels is kept, in ms; 0: it has none. */
export function ledgerKeep({
  ledger,
}: Pick<Config, 'ledger'>): (labels: Readonly<Record<string, string>>) => number {
  return (labels) =>
    ledger.byLabel.findLast((entry) =>
      Object.entries(entry.labels).every(
        ([name, value]) => Object.hasOwn(labels, name) && labels[name] === value,
      ),
    )?.keep ?? ledger.keep;
}
