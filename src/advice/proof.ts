/** The proof of a statement that a fix rests on. `unknown`: it is neither proved nor refuted. */
export type Proof = { readonly state: 'good' } | Refuted;

/** Why something is not good, or why that is not known: a clause without a full stop. */
export interface Refuted {
  readonly state: 'bad' | 'unknown';
  readonly reason: string;
}

/** The result of a search; `bad`: it does not exist, as far as everything that was looked at is known. */
export type Search<Found> = { readonly state: 'good'; readonly found: Found } | Refuted;

export const GOOD: Proof = { state: 'good' };

export function bad(reason: string): Refuted {
  return { state: 'bad', reason };
}

export function unknown(reason: string): Refuted {
  return { state: 'unknown', reason };
}

/** Whether all statements hold: one that does not refutes them all, and one that is not known leaves them unknown. */
export function allOf(proofs: readonly Proof[]): Proof {
  return refutedOf(proofs, 'bad') ?? refutedOf(proofs, 'unknown') ?? GOOD;
}

/** Why none of these is good: that is known only when it is known of each. The first reason counts. */
export function noneOf(refuted: readonly [Refuted, ...Refuted[]]): Refuted {
  return refutedOf(refuted, 'unknown') ?? refuted[0];
}

function refutedOf(proofs: readonly Proof[], state: Refuted['state']): Refuted | undefined {
  return proofs.find((one): one is Refuted => one.state === state);
}
