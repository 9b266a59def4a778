/**
 * How a locked package was resolved (promise 1): `resolved` (the index knows the version), `missing` (it has no such
 * version), `unsupported` (an ecosystem or source that the index cannot have), `private`, or `failed`. With a local data set
 * instead of the index also `uncovered`: it does not cover that version.
 */
export const OUTCOMES = ['resolved', 'missing', 'unsupported', 'private', 'failed', 'uncovered'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The end of the reason of a package that is `private` because of its name, and not because of its registry. */
export const PRIVATE_NAME = 'matches a private pattern of the configuration';
