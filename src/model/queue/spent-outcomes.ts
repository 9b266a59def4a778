export interface OutcomeName {
  readonly job: string;
  readonly key: string;
}

/** Outcomes that no job reads any longer. */
export interface SpentOutcomes {
  /** A marker stays, so that the job does not run again. */
  readonly marked: readonly OutcomeName[];
  /** Removed completely, because only jobs whose outcomes are marked create them. */
  readonly removed: readonly OutcomeName[];
}
