import { Ledger, type Open } from '../../simulation/oracle.ts';

/** What a receiver does not know after these deliveries. Throws for a change that is repeated or out of order. */
export function unsettled(
  expected: Open,
  bodies: readonly string[],
  suppressed?: ReadonlySet<string>,
): readonly string[] {
  const ledger = new Ledger(suppressed);
  for (const body of bodies) ledger.read(body, 0);
  return ledger.differences(expected);
}
