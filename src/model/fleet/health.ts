/** `good`: nothing to do. `attention`: it works, and somebody should look. `bad`: it does not work. */
export type Grade = 'good' | 'attention' | 'bad';

/** The answer to one question about the deployment. */
export interface HealthPart {
  readonly part: 'flow' | 'runs' | 'facts' | 'telemetry' | 'limits';
  readonly grade: Grade;
  /** In words, with numbers. */
  readonly says: string;
  /** What to do; absent when nothing has to be done. */
  readonly remedy?: string | undefined;
}

/** The state of the whole deployment in words. */
export interface HealthVerdict {
  readonly grade: Grade;
  /** One sentence. */
  readonly summary: string;
  /** At least one for each question. */
  readonly parts: readonly HealthPart[];
  /** RFC 3339. */
  readonly at: string;
}
