import { CodedError } from '../model/errors.ts';

interface RefusalOptions {
  /** Seconds after which another attempt may succeed. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A call that is answered with an error. `code` is the last part of the problem's type, `status` that of HTTP. */
export class Refusal extends CodedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, detail: string, options: RefusalOptions = {}) {
    super(code, detail, 'cause' in options ? { cause: options.cause } : {});
    const { retryAfter, headers = {} } = options;
    this.status = status;
    this.headers = retryAfter === undefined ? headers : { ...headers, 'retry-after': String(retryAfter) };
  }
}
