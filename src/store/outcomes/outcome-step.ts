/** A step of `SAVE_OUTCOME`. */
export interface OutcomeStep {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly (string | number | Buffer)[];
}
