/** How text for a person is laid out. */
export interface TextOptions {
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}
