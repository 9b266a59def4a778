/** The signals, the strongest first: the first one of a version names its finding. Each is a rule of its own. */
export const SIGNALS = [
  'integrity-mismatch',
  'young-requirement',
  'provenance-lost',
  'burst',
  'look-alike',
  'capability-gained',
  'install-script',
  'withdrawn',
  'pulled-siblings',
  'revived',
  'source-moved',
  'dependency-changed',
  'scorecard-dropped',
  'fresh-release',
  'unmaintained',
  'behind',
] as const;

export type SignalName = (typeof SIGNALS)[number];
