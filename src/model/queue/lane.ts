/** Where a job stands in its lane: a row of jobs that run one after another. */
export type Turn =
  | { readonly kind: 'first' }
  /** Another one, `first`, goes before it. */
  | { readonly kind: 'waiting'; readonly first: string }
  /** It was never there, or is done. */
  | { readonly kind: 'absent' };

/** A job's place, taken together with the outcome that it follows from. */
export interface LanePlace {
  readonly lane: string;
  /** Id of the job. */
  readonly id: string;
}
