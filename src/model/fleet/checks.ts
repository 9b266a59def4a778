/**
 * The verdict of every check, whoever asks. `fine`: nothing to do. `degraded`: it works, and somebody should look. `broken`: it does not
 * work. `unknown`: it could not be found out, which is never fine; `says` has the reason.
 */
export type Verdict = (typeof VERDICTS)[number];

/** The better ones first. */
export const VERDICTS = ['fine', 'unknown', 'degraded', 'broken'] as const;

/** The worst of some verdicts; `fine` for none. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? 'fine';
}

/** The result of a check. */
export interface Found {
  readonly verdict: Verdict;
  /** In words, with values. */
  readonly says: string;
  /** The remedy, in a sentence; absent when nothing has to be done. */
  readonly remedy?: string | undefined;
}

const found =
  (verdict: Verdict) =>
  (says: string, remedy?: string): Found => ({ verdict, says, remedy });

export const fine = found('fine');
export const unknown = found('unknown');
export const degraded: (says: string, remedy: string) => Found = found('degraded');
export const broken: (says: string, remedy: string) => Found = found('broken');

/** The result of one check of `lockhound doctor`. */
export interface Diagnosis extends Found {
  readonly subject: DoctorSubject;
  readonly check: string;
  /** The change that `--fix` would make, or made (`fixed`). */
  readonly fix?: string | undefined;
  readonly fixed?: boolean | undefined;
}

export type DoctorSubject = (typeof DOCTOR_SUBJECTS)[number];

/** The subjects in the order in which they are shown. `health`: the questions of `lockhound health`. */
export const DOCTOR_SUBJECTS = [
  'process',
  'redis',
  'insights',
  'platform',
  'receivers',
  'work',
  'health',
] as const;

export interface DoctorReport {
  /** RFC 3339. */
  readonly at: string;
  readonly diagnoses: readonly Diagnosis[];
}
