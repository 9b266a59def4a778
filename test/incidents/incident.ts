import type { ApiSystem } from '../../src/model/lockfile/ecosystem.ts';

/** A version that was published. Times in RFC 3339; a day alone means that the minute is not known. */
export interface Publication {
  readonly name: string;
  readonly version: string;
  readonly at: string;
  /** Repository of a verified attestation. */
  readonly attested?: string;
  /** Source project, as its metadata names it. */
  readonly project?: string;
  readonly requires?: Readonly<Record<string, string>>;
  readonly optional?: Readonly<Record<string, string>>;
  /** Go: capabilities of the version itself. */
  readonly capabilities?: readonly string[];
}

export type Event = { readonly at: string } & (
  | { readonly publish: readonly Omit<Publication, 'at'>[] }
  | { readonly deprecate: readonly string[]; readonly of: string; readonly default?: string }
  | { readonly remove: readonly string[]; readonly of: string }
  /** The scorecard of a source project that is published then. */
  | { readonly project: string; readonly overall: number; readonly checks: Readonly<Record<string, number>> }
  | {
      readonly advisory: string;
      readonly affects: Readonly<Record<string, string>>;
    }
);

/** An incident, or something honest that looks like one, as the registry showed it. */
export interface Incident {
  readonly title: string;
  readonly system: ApiSystem;
  /** What is to be expected: an alert before anything else, or none. */
  readonly expect: 'alert' | 'none';
  /** What was there before, oldest first. */
  readonly before: readonly Publication[];
  /** In the order of time. */
  readonly events: readonly Event[];
  /** What a target locks, and when. */
  readonly lock: {
    readonly name: string;
    readonly version: string;
    readonly at: string;
    readonly isNew?: true;
  };
  /** Names of similar packages by name, and how many packages depend on each of these. */
  readonly similar?: Readonly<Record<string, readonly string[]>>;
  readonly dependents?: Readonly<Record<string, number>>;
  /** When an advisory named it, or else what ended it. */
  readonly known?: { readonly at: string; readonly by: string };
  /** What is not verified, and what the replay does instead. */
  readonly note?: string;
}

/** A time of which only the order is known: this many days before another one. No signal depends on it. */
export function placed(before: string, days = 30): string {
  return new Date(Date.parse(before) - days * 86_400_000).toISOString();
}
