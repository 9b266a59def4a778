import type { Answer, MethodId } from '../../operations/operation.ts';
import type { TextOptions } from '../../report/layout.ts';

/** Values of parameters as text, by name; those of a repeated one in a list. */
export type ParameterTexts = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Calls operations: in this process over Redis, or on a running server. */
export interface Caller {
  /** Throws `Refusal` and coded errors. */
  call<Id extends MethodId>(id: Id, params: ParameterTexts, options?: CallOptions): Promise<Answer<Id>>;
  /** The largest page of a list. */
  readonly maxPage: number;
  /** What the answers of this process lack because it cannot be read. */
  readonly unreadable: readonly string[];
  close(): Promise<void>;
}

interface CallOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly layout?: TextOptions;
}

/** The values that are given. */
export function presentValues(params: ParameterTexts): Readonly<Record<string, string | readonly string[]>> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
