/** The decisions of the gate about a package that somebody wants to add, the mildest first. */
export const GATE_DECISIONS = ['allow', 'warn', 'block'] as const;
export type GateDecision = (typeof GATE_DECISIONS)[number];

/** The decision for each reason unless `policy.gate` says otherwise. */
export const GATE_DEFAULTS = {
  malware: 'block',
  quarantined: 'block',
  vanished: 'block',
  exploited: 'block',
  critical: 'warn',
  high: 'warn',
  medium: 'allow',
  low: 'allow',
  suspicious: 'warn',
  'look-alike': 'warn',
  young: 'warn',
  'new-package': 'warn',
  license: 'warn',
  missing: 'warn',
  unknown: 'warn',
  deprecated: 'allow',
  signal: 'allow',
  other: 'warn',
} as const satisfies Readonly<Record<string, GateDecision>>;

/**
 * The kind of a reason. `exploited`: a critical vulnerability in KEV's catalogue. `critical` to `low`: another vulnerability. `missing`: the
 * index does not have it. `new-package`: its first version was published less than `NEW_PACKAGE_DAYS` ago, and no target holds it. `unknown`: something could not be found out. `signal`: a sign of a compromise that is no incident. `other`:
 * a finding of another rule.
 */
export type GateCode = keyof typeof GATE_DEFAULTS;

/** Names that models invent are registered by others within weeks. */
export const NEW_PACKAGE_DAYS = 90;

/** The configured decisions; absent ones are the defaults. */
export type GateSettings = Readonly<Partial<Record<GateCode, GateDecision | undefined>>>;
