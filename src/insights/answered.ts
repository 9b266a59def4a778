import type { SchemaProblem } from '../discovery/request/schema-check.ts';
import type { InsightsError } from './errors.ts';

/** A place where an answer does not fit the API's description. */
export type ContractProblem = SchemaProblem;

/** A successful answer. */
export interface Answer<Value> {
  /** The part that fits the description; the rest is listed in `problems`. */
  readonly value: Value;
  readonly problems: readonly ContractProblem[];
  /** The parsed answer, unchanged. */
  readonly raw: unknown;
  /** Its bytes. */
  readonly body: Buffer;
}

/** The result of an operation: an answer, or the reason for a missing answer. */
export type Answered<Value> =
  | (Answer<Value> & { readonly error?: never })
  | { readonly error: InsightsError; readonly value?: never };

/** The answer. Throws the `InsightsError` that stands for a missing answer. */
export function answerOf<Value>(answered: Answered<Value>): Answer<Value> {
  if (answered.error !== undefined) throw answered.error;
  return answered;
}

/** `$.responses[3]: text is expected, there is 7`. */
export function formatProblem({ path, message }: ContractProblem): string {
  return `${path}: ${message}`;
}
