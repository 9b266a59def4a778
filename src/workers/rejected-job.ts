/** A payload that did not fit, for an operator. */
export interface RejectedJob {
  readonly at: string;
  readonly job: string;
  readonly id: string;
  readonly issues: readonly { readonly path: string; readonly reason: string }[];
  readonly data: string;
}
