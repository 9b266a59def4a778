/** A payload template for a kind of receiver. */
export interface Preset {
  readonly name: string;
  readonly payload: string;
}
