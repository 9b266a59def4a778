import type { InsightsError } from './errors.ts';

/** A place where an answer is not as the API's description says. */
export interface ContractProblem {
  /** JSON path: `$.responses[3].version.licenses`. */
  readonly path: string;
  readonly message: string;
}

/** What came back. */
export interface Answer<Value> {
  /** As the description says it is: what does not fit is left out here and named in `problems`. */
  readonly value: Value;
  readonly problems: readonly ContractProblem[];
  /** The parsed answer, untouched. */
  readonly raw: unknown;
  /** Its bytes. */
  readonly body: Buffer;
}

/** What an operation came to: an answer, or why there is none. */
export type Answered<Value> =
  | (Answer<Value> & { readonly error?: never })
  | { readonly error: InsightsError; readonly value?: never };

/** The answer, for callers that cannot go on without. Throws the `InsightsError`. */
export function answerOf<Value>(answered: Answered<Value>): Answer<Value> {
  if (answered.error !== undefined) throw answered.error;
  return answered;
}

/** `$.responses[3]: text is expected, there is 7`. */
export function formatProblem({ path, message }: ContractProblem): string {
  return `${path}: ${message}`;
}
