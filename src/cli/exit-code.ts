/** Exit codes that CI can use. */
export const EXIT = {
  /** Nothing found at or above the severity asked for. */
  clean: 0,
  /** Findings. */
  findings: 1,
  /** What was asked for does not exist. */
  notFound: 1,
  /** The command could not do its work; the message on standard error says why. */
  error: 2,
} as const;
