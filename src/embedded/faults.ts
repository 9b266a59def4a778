import { STATUS_CODES } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorShape, PLAIN_ERRORS } from './error-shape.ts';
import { type RateLimit, rateLimiter } from './rate-limit.ts';

/** Something a local service does wrong on purpose. */
export type Fault =
  | {
      /** Answers so, whatever was asked. */
      readonly kind: 'answer';
      readonly status: number;
      /** Without one, an error has the name of its status, in the service's own shape of errors. */
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Takes the request and never answers; the connection stays open until the service closes. */
  | { readonly kind: 'hang' }
  /** Breaks the connection without an answer. */
  | { readonly kind: 'drop' }
  /** Does what was asked for, then breaks the connection: the caller cannot know. */
  | { readonly kind: 'drop-answer' };

/** A fault, and which requests meet it. */
export type FaultRule = Fault & {
  /** How many requests meet it. Default 1, or without limit when `every` is given. */
  readonly times?: number;
  /** Only every nth of the requests that fit. Default 1. */
  readonly every?: number;
  /** Only requests with this method. */
  readonly method?: string;
  /** Only requests for this path, without its query; `*` stands for any text. */
  readonly path?: string;
};

/** What a service does wrong from its start. */
export interface FaultOptions {
  /** Milliseconds that every request waits first. */
  readonly latencyMs?: number;
  /** Earlier rules come first. */
  readonly faults?: readonly FaultRule[];
  /** More requests than this are answered with 429 and `Retry-After`. */
  readonly rateLimit?: RateLimit;
}

export interface FaultRequest {
  readonly method: string;
  /** Path and query as they came, still percent-encoded. */
  readonly url: string;
}

export interface InjectOptions {
  /** Default 1, or without limit when `every` is given. */
  readonly times?: number;
  /** Only every nth of the requests that `when` accepts. Default 1. */
  readonly every?: number;
  readonly when?: (request: FaultRequest) => boolean;
}

interface PlannedFault {
  readonly fault: Fault;
  readonly when: (request: FaultRequest) => boolean;
  readonly every: number;
  seen: number;
  left: number;
}

/** What a local service gets wrong next. */
export class Faults {
  /** Milliseconds that every request waits first. */
  latencyMs: number;
  #planned: PlannedFault[] = [];
  #secondsToWait: (() => number) | undefined;

  constructor({ latencyMs = 0, faults = [], rateLimit }: FaultOptions = {}) {
    this.latencyMs = latencyMs;
    this.#secondsToWait = rateLimit && rateLimiter(rateLimit);
    for (const { times, every, method, path, ...fault } of faults) {
      this.inject(fault, {
        ...(times === undefined ? {} : { times }),
        ...(every === undefined ? {} : { every }),
        when: requestFilter(method, path),
      });
    }
  }

  /** The next `times` requests (those that `when` accepts) meet the fault; earlier faults come first. */
  inject(fault: Fault, { times, every, when = () => true }: InjectOptions = {}): void {
    const left = times ?? (every === undefined ? 1 : Number.POSITIVE_INFINITY);
    this.#planned.push({ fault, when, every: every ?? 1, seen: 0, left });
  }

  /** No latency, no rate limit and no fault any more. */
  clear(): void {
    this.latencyMs = 0;
    this.#planned = [];
    this.#secondsToWait = undefined;
  }

  /** Waits as long as every request does, counts it, and gives the fault that meets it, if any. */
  async meet(request: FaultRequest): Promise<Fault | undefined> {
    if (this.latencyMs > 0) await delay(this.latencyMs);
    const seconds = this.#secondsToWait?.() ?? 0;
    if (seconds === 0) return this.take(request);
    return { kind: 'answer', status: 429, headers: { 'retry-after': String(seconds) } };
  }

  /** The planned fault that meets this request, if any, and counts it. */
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

/** What an answer with an error's status and nothing else says: the name of the status, in the service's own shape. */
export function errorAnswer(status: number, shape: ErrorShape): { body: string; type: string } {
  return { body: shape.body(STATUS_CODES[status] ?? `status ${status}`), type: shape.type };
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

function requestFilter(
  method: string | undefined,
  path: string | undefined,
): (request: FaultRequest) => boolean {
  const source = path?.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = source && new RegExp(`^${source.join('.*')}$`);
  return (request) => {
    const [asked = ''] = request.url.split('?', 1);
    return (
      (method === undefined || request.method === method.toUpperCase()) && (pattern?.test(asked) ?? true)
    );
  };
}
