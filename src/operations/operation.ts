import type { LockhoundMethods } from '../model/api/lockhound-api.generated.ts';
import type { TextOptions } from '../report/layout.ts';
import type { OperationContext } from './context.ts';
import type { Principal } from './principal.ts';

export type MethodId = keyof LockhoundMethods;

/** A call of an operation, checked against the description document. */
export interface Call<Id extends MethodId = MethodId> {
  readonly params: LockhoundMethods[Id]['params'];
  readonly body: LockhoundMethods[Id]['body'];
  readonly principal: Principal;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  /** How reports for people are laid out. Default: in 100 columns without colours. */
  readonly layout?: TextOptions;
}

/** The answer to a call: a value of the response schema, or a `RawAnswer` for a method without one. */
export type Answer<Id extends MethodId> = LockhoundMethods[Id]['response'] extends undefined
  ? RawAnswer
  : LockhoundMethods[Id]['response'];

/** Answers a method of the document for every caller: HTTP and the command line. Throws `Refusal` and coded errors. */
export type Operation<Id extends MethodId> = (
  call: Call<Id>,
  context: OperationContext,
) => Promise<Answer<Id>>;

/** An answer that is not JSON, or has another status than 200. */
export class RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    body: string,
    { status = 200, type = 'application/json; charset=utf-8', headers = {} }: RawAnswerOptions = {},
  ) {
    this.status = status;
    this.type = type;
    this.body = body;
    this.headers = headers;
  }
}

interface RawAnswerOptions {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
