export interface CodedErrorOptions {
  /** The error that caused it, for logs; never shown alone. */
  readonly cause?: unknown;
  /** Whether the same work may succeed later without a change by an operator. */
  readonly retryable?: boolean;
  /** Milliseconds to wait before another attempt, when the other side named them. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * An error with a `code` for programs and a message for people, which says what happened, where (file, line, purl or
 * URL) and what to do. Every folder has one subclass with a closed union of codes.
 */
export abstract class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: Code, message: string, options: CodedErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * Returns a handler of rejections: `undefined` for an error of this type with this code, which says that there is no value. It throws any
 * other error.
 */
export function undefinedFor(
  type: abstract new (...given: never[]) => Error,
  code: string,
): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof type && 'code' in error && error.code === code) return undefined;
    throw error;
  };
}

/** The message of anything thrown, for places where only text fits. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
