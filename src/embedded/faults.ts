import { STATUS_CODES } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { matchesWildcard } from '../model/wildcard.ts';

/** A failure that a local service simulates. */
export type Fault =
  | {
      /** Answers every request like this. */
      readonly kind: 'answer';
      readonly status: number;
      /** Default for an error: the name of its status in the service's error format. */
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Accepts the request and never answers; the connection stays open until the service closes. */
  | { readonly kind: 'hang' }
  /** Breaks the connection without an answer. */
  | { readonly kind: 'drop' }
  /** Executes the request, then breaks the connection instead of answering. */
  | { readonly kind: 'drop-answer' };

/** A fault, and the requests that it applies to. */
export type FaultRule = Fault & {
  /** Number of requests that it applies to. Default 1, or unlimited when `every` is given. */
  readonly times?: number;
  /** Selects every nth of the matching requests. Default 1. */
  readonly every?: number;
  readonly method?: string;
  /** Selects requests for this path, without its query; `*` matches any text. */
  readonly path?: string;
};

/** The faults that a service simulates from its start. */
export interface FaultOptions {
  /** Delay of every request in milliseconds. */
  readonly latencyMs?: number;
  /** Earlier rules come first. */
  readonly faults?: readonly FaultRule[];
  /** Requests above this limit are answered with 429 and `Retry-After`. */
  readonly rateLimit?: RateLimit;
}

export interface FaultRequest {
  readonly method: string;
  /** Path and query as sent, percent-encoded. */
  readonly url: string;
}

export interface InjectOptions {
  /** Default 1, or unlimited when `every` is given. */
  readonly times?: number | undefined;
  /** Selects every nth of the requests that `when` accepts. Default 1. */
  readonly every?: number | undefined;
  readonly when?: (request: FaultRequest) => boolean;
}

interface PlannedFault {
  readonly fault: Fault;
  readonly when: (request: FaultRequest) => boolean;
  readonly every: number;
  seen: number;
  left: number;
}

/** The faults that a local service simulates next. */
export class Faults {
  /** Delay of every request in milliseconds. */
  latencyMs: number;
  #planned: PlannedFault[] = [];
  #secondsToWait: (() => number) | undefined;

  constructor({ latencyMs = 0, faults = [], rateLimit }: FaultOptions = {}) {
    this.latencyMs = latencyMs;
    this.#secondsToWait = rateLimit && rateLimiter(rateLimit);
    for (const { times, every, method, path, ...fault } of faults) {
      this.inject(fault, { times, every, when: requestFilter(method, path) });
    }
  }

  /** Applies the fault to the next `times` requests that `when` accepts; earlier faults come first. */
  inject(fault: Fault, { times, every, when = () => true }: InjectOptions = {}): void {
    const left = times ?? (every === undefined ? 1 : Number.POSITIVE_INFINITY);
    this.#planned.push({ fault, when, every: every ?? 1, seen: 0, left });
  }

  /** Removes latency, rate limit and all faults. */
  clear(): void {
    this.latencyMs = 0;
    this.#planned = [];
    this.#secondsToWait = undefined;
  }

  /** Delays and counts a request, and returns the fault that applies to it, if any. */
  async meet(request: FaultRequest): Promise<Fault | undefined> {
    if (this.latencyMs > 0) await delay(this.latencyMs);
    const seconds = this.#secondsToWait?.() ?? 0;
    if (seconds === 0) return this.take(request);
    return { kind: 'answer', status: 429, headers: { 'retry-after': String(seconds) } };
  }

  /** Returns the planned fault that applies to this request, if any, and counts it. */
  take(request: FaultRequest): Fault | undefined {
    const planned = this.#planned.find((one) => {
      if (!one.when(request)) return false;
      one.seen += 1;
      return one.seen % one.every === 0;
    });
    if (planned === undefined) return undefined;
    planned.left -= 1;
    if (planned.left <= 0) this.#planned.splice(this.#planned.indexOf(planned), 1);
    return planned.fault;
  }
}

/** The default answer for an error status: the name of the status in the service's error format. */
export function errorAnswer(status: number, shape: ErrorShape): { body: string; type: string } {
  return { body: shape.body(STATUS_CODES[status] ?? `status ${status}`), type: shape.type };
}

/**
 * A 429 in the service's error format. `retryAfter` is in seconds or an HTTP date; without it the answer has no
 * `Retry-After`.
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

/** The page of a proxy or a captive portal instead of the service's answer. */
export function htmlAnswer(status = 200): Fault {
  return {
    kind: 'answer',
    status,
    body: '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>',
    headers: { 'content-type': 'text/html; charset=utf-8' },
  };
}

/** An answer of type JSON that ends in the middle. */
export function garbageAnswer(): Fault {
  return {
    kind: 'answer',
    status: 200,
    body: '{"responses":[{"request":{"pu\u0000',
    headers: { 'content-type': 'application/json' },
  };
}

function requestFilter(
  method: string | undefined,
  path: string | undefined,
): (request: FaultRequest) => boolean {
  return (request) => {
    const [asked = ''] = request.url.split('?', 1);
    return (
      (method === undefined || request.method === method.toUpperCase()) &&
      (path === undefined || matchesWildcard(path, asked))
    );
  };
}

/** A maximum number of requests in each period. */
export interface RateLimit {
  readonly requests: number;
  /** Length of the period. Default 1. */
  readonly seconds?: number;
}

/** Returns a function that counts a request and returns 0 when it is within the limit, otherwise the seconds to wait. */
export function rateLimiter(
  { requests, seconds = 1 }: RateLimit,
  now: () => number = () => performance.now(),
): () => number {
  let start = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    const time = now();
    if (time - start >= seconds * 1_000) {
      start = time;
      count = 0;
    }
    count += 1;
    return count <= requests ? 0 : Math.ceil(seconds - (time - start) / 1_000);
  };
}

/** The format of a service's error answers. */
export interface ErrorShape {
  /** Content type. */
  readonly type: string;
  body(message: string): string;
}

/** Package-insights API (field notes, "Errors are text/plain"). */
export const PLAIN_ERRORS: ErrorShape = { type: 'text/plain; charset=utf-8', body: (message) => message };

/** Webhook-integration API, "Error response object". */
export const LISTED_ERRORS: ErrorShape = {
  type: 'application/json',
  body: (message) => JSON.stringify({ errors: [message] }),
};
