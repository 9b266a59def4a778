/**
 * The result of one check of `lockhound doctor`. `ok`: as it should be. `note`: worth knowing. `warning`: it works, and something may go
 * wrong. `fault`: something does not work. `skipped`: it could not be checked; `says` has the reason.
 */
export interface Diagnosis {
  readonly subject: DoctorSubject;
  readonly check: string;
  readonly verdict: 'ok' | 'note' | 'warning' | 'fault' | 'skipped';
  /** In words, with values. */
  readonly says: string;
  /** What to do. */
  readonly remedy?: string | undefined;
  /** What `--fix` would do, or did (`fixed`). */
  readonly fix?: string | undefined;
  readonly fixed?: boolean | undefined;
}

export type DoctorSubject = (typeof DOCTOR_SUBJECTS)[number];

/** In the order in which they are shown. */
export const DOCTOR_SUBJECTS = [
  'process',
  'redis',
  'insights',
  'platform',
  'receivers',
  'work',
  'workers',
] as const;

export interface DoctorReport {
  /** RFC 3339. */
  readonly at: string;
  readonly diagnoses: readonly Diagnosis[];
}
