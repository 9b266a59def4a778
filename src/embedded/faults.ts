import { type ErrorShape, PLAIN_ERRORS } from './error-shape.ts';

/** Something a local service does wrong on purpose. */
export type Fault =
  | {
      /** Answers so, whatever was asked. */
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Takes the request and never answers; the connection stays open until the service closes. */
  | { readonly kind: 'hang' }
  /** Breaks the connection without an answer. */
  | { readonly kind: 'drop' }
  /** Does what was asked for, then breaks the connection: the caller cannot know. */
  | { readonly kind: 'drop-answer' };

export interface FaultRequest {
  readonly method: string;
  /** Path and query as they came, still percent-encoded. */
  readonly url: string;
}

interface PlannedFault {
  readonly fault: Fault;
  readonly when: (request: FaultRequest) => boolean;
  left: number;
}

/** What a local service gets wrong next. */
export class Faults {
  /** Milliseconds that every request waits first. */
  latencyMs = 0;
  #planned: PlannedFault[] = [];

  /** The next `times` requests (those that `when` accepts) meet the fault; earlier faults come first. */
  inject(fault: Fault, options: { times?: number; when?: (request: FaultRequest) => boolean } = {}): void {
    this.#planned.push({ fault, when: options.when ?? (() => true), left: options.times ?? 1 });
  }

  clear(): void {
    this.latencyMs = 0;
    this.#planned = [];
  }

  /** The fault that meets this request, if any, and counts it. */
  take(request: FaultRequest): Fault | undefined {
    const planned = this.#planned.find(({ when }) => when(request));
    if (planned === undefined) return undefined;
    planned.left -= 1;
    if (planned.left <= 0) this.#planned.splice(this.#planned.indexOf(planned), 1);
    return planned.fault;
  }
}

/**
 * A 429; `retryAfter` in seconds or as an HTTP date, left out when the service would not say. In the service's own shape
 * of errors: plain text, or the list of the webhook-integration API.
 */
export function tooManyRequests(retryAfter?: number | string, shape: ErrorShape = PLAIN_ERRORS): Fault {
  const headers = { 'content-type': shape.type };
  return {
    kind: 'answer',
    status: 429,
    body: shape.body('too many requests'),
    headers: retryAfter === undefined ? headers : { ...headers, 'retry-after': String(retryAfter) },
  };
}

/** The page of a proxy or a captive portal in place of the service. */
export function htmlAnswer(status = 200): Fault {
  return {
    kind: 'answer',
    status,
    body: '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>',
    headers: { 'content-type': 'text/html; charset=utf-8' },
  };
}

/** An answer that says it is JSON and breaks off in the middle. */
export function garbageAnswer(): Fault {
  return {
    kind: 'answer',
    status: 200,
    body: '{"responses":[{"request":{"pu\u0000',
    headers: { 'content-type': 'application/json' },
  };
}
