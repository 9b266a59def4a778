import type { CallOperation } from '../../operations/call.ts';
import type { MethodId } from '../../operations/operation.ts';

/** Calls operations: in this process over Redis, or on a running server. */
export interface Caller {
  readonly call: CallOperation;
  /** The only method that it calls. Default: it calls all. */
  readonly only?: MethodId;
  /** The largest page of a list. */
  readonly maxPage: number;
  /** The things that answers of this process lack because they cannot be read. */
  readonly unreadable: readonly string[];
  close(): Promise<void>;
}
