/** Exit codes. A command that a signal interrupts exits with 128 and the number of the signal. */
export const EXIT = {
  /** Success; for scans, no findings. */
  clean: 0,
  /** The command worked and found something: findings, differences, deliveries that were not sent again. */
  findings: 1,
  /** The requested package, version or project does not exist. */
  notFound: 1,
  /** For scans with `--exit-codes extended`: findings, and no known upgrade clears any of them. */
  unfixable: 3,
  /** The same: no findings, and something that could not be found out. */
  incomplete: 4,
  /** The command failed or its result is incomplete. The message on standard error says why. */
  error: 2,
} as const;
