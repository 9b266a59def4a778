import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { percentDecoded } from '../model/json-object.ts';
import { isBrieflyRetryable, parseRetryAfter } from '../model/retry-after.ts';
import { httpAttempts } from '../model/telemetry.ts';
import { timeLimit } from '../model/time-limit.ts';
import type { AddressGuard } from './address-guard.ts';
import { ACCEPTED_ENCODINGS, decompress, readBeginning } from './body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './client.ts';
import { HttpError, printableUrl, toHttpError } from './errors.ts';
import { guardedConnector } from './guarded-connection.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Times in milliseconds, each for one attempt. */
export interface HttpClientOptions {
  /** Until the headers of the answer arrive. */
  readonly headersTimeoutMs?: number;
  /** Between two pieces of the body. */
  readonly bodyTimeoutMs?: number;
  /** For an attempt as a whole, which ends answers that arrive too slowly. */
  readonly totalTimeoutMs?: number;
  /** The largest answer, decompressed. */
  readonly maxResponseBytes?: number;
  readonly retry?: RetryPolicy;
  /** Connections to one origin. */
  readonly connections?: number;
  /** Checks every address before a connection to it. Default: all are allowed. */
  readonly guard?: AddressGuard;
  readonly userAgent?: string;
  /** The name of what is called, for metrics: attempts are measured under this name. Unset: they are not measured. */
  readonly service?: string;
  /** Awaited before each attempt, including retries; a request budget delays it. */
  readonly beforeAttempt?: ((signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

interface Settings {
  readonly dispatcher: Dispatcher;
  readonly totalTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly retry: RetryPolicy;
  readonly userAgent: string;
  readonly service: string | undefined;
  readonly beforeAttempt: HttpClientOptions['beforeAttempt'];
}

/** The `HttpClient` with one undici dispatcher. It follows no redirects. */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const dispatcher = createDispatcher(options);
  const settings: Settings = {
    dispatcher,
    totalTimeoutMs: options.totalTimeoutMs ?? 120_000,
    maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
    retry: options.retry ?? BRIEF_RETRIES,
    userAgent: options.userAgent ?? 'lockhound',
    service: options.service,
    beforeAttempt: options.beforeAttempt,
  };
  return {
    send: (request) => sendWithRetries(settings, request),
    close: () => dispatcher.destroy(),
  };
}

function createDispatcher(options: HttpClientOptions): Agent {
  // Certificates are verified even when NODE_TLS_REJECT_UNAUTHORIZED is 0.
  const connect = {
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    rejectUnauthorized: true,
  };
  return new Agent({
    connect: options.guard === undefined ? buildConnector(connect) : guardedConnector(connect, options.guard),
    connections: options.connections ?? 50,
    headersTimeout: options.headersTimeoutMs ?? 30_000,
    bodyTimeout: options.bodyTimeoutMs ?? 30_000,
    maxResponseSize: options.maxResponseBytes ?? 64 * 1024 * 1024,
    // undici negotiates HTTP/2 by default; here it gains nothing, and one lost session would fail all streams.
    allowH2: false,
  });
}

async function sendWithRetries(settings: Settings, request: HttpRequest): Promise<HttpResponse> {
  const mayRepeat = isIdempotent(request.method, request.idempotent);
  for (let attempt = 1; ; attempt += 1) {
    const [asked, sent] = [performance.now(), await waitForBudget(settings, request)];
    const outcome = await attemptOnce(settings, request);
    measure(settings, outcome, { waitedMs: sent - asked, durationMs: performance.now() - sent });
    const retryable =
      outcome instanceof HttpError
        ? outcome.code === 'connection-lost' || (outcome.code === 'connect-failed' && outcome.retryable)
        : isBrieflyRetryable(outcome);
    const delay =
      mayRepeat && retryable ? retryDelay(settings.retry, attempt, outcome.retryAfterMs) : undefined;
    if (delay === undefined) {
      if (outcome instanceof HttpError) throw outcome;
      return outcome;
    }
    await waitBriefly(delay, request);
  }
}

/** An attempt that the caller aborted says nothing about the service. */
function measure(
  { service }: Settings,
  outcome: HttpResponse | HttpError,
  times: { readonly waitedMs: number; readonly durationMs: number },
): void {
  if (service === undefined || (outcome instanceof HttpError && outcome.code === 'aborted')) return;
  httpAttempts.publish({
    service,
    ...(outcome instanceof HttpError ? {} : { status: outcome.status }),
    ...times,
  });
}

/**
 * Outside the time limits of an attempt: the wait is not caused by the service. Resolves to the time at which the request may be
 * sent, in milliseconds of `performance.now`.
 */
async function waitForBudget({ beforeAttempt }: Settings, request: HttpRequest): Promise<number> {
  try {
    await beforeAttempt?.(request.signal);
    return performance.now();
  } catch (error) {
    throw request.signal?.aborted === true ? aborted(request, error) : error;
  }
}

async function waitBriefly(delay: number, request: HttpRequest): Promise<void> {
  try {
    await sleep(delay, undefined, request.signal && { signal: request.signal });
  } catch (cause) {
    throw aborted(request, cause);
  }
}

async function attemptOnce(settings: Settings, request: HttpRequest): Promise<HttpResponse | HttpError> {
  const limit = timeLimit(settings.totalTimeoutMs, request.signal);
  try {
    limit.signal.throwIfAborted();
    return await exchange(settings, request, limit.signal);
  } catch (error) {
    if (request.signal?.aborted === true) return aborted(request, error);
    return toHttpError(limit.isOver() ? limit.signal.reason : error, request.method, request.url);
  } finally {
    limit.release();
  }
}

async function exchange(
  settings: Settings,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const url = parseUrl(request.url);
  const answer = await settings.dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method.toUpperCase() as Dispatcher.HttpMethod,
    headers: {
      'user-agent': settings.userAgent,
      'accept-encoding': request.answerBytes === undefined ? ACCEPTED_ENCODINGS : 'identity',
      ...credentialsOf(url),
      ...request.headers,
    },
    body: request.body ?? null,
    signal,
  });
  const headers = flatten(answer.headers);
  const encoding = headers['content-encoding'];
  const subject = `${request.method} ${printableUrl(request.url)}`;
  const limit = settings.maxResponseBytes;
  return {
    status: answer.statusCode,
    headers,
    body:
      request.answerBytes === undefined
        ? decompress(Buffer.from(await answer.body.arrayBuffer()), encoding, limit, subject)
        : await readBeginning(answer.body, encoding, request.answerBytes),
    retryAfterMs: parseRetryAfter(headers['retry-after'], Date.now()),
  };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new HttpError('invalid-url', `${printableUrl(text)}: only http and https URLs can be called`);
  }
  return url;
}

function credentialsOf(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

function aborted(request: HttpRequest, cause: unknown): HttpError {
  return new HttpError('aborted', `${request.method} ${printableUrl(request.url)}: aborted`, {
    cause,
  });
}

/** Brief retries; longer ones are delayed jobs. Times in milliseconds. */
interface RetryPolicy {
  /** Attempts in total. */
  readonly attempts: number;
  /** Upper bound of the random wait before the second attempt; doubled for each further attempt. */
  readonly baseMs: number;
  /** The longest single wait. When the service asks for a longer one, its answer is returned. */
  readonly longestWaitMs: number;
}

const BRIEF_RETRIES: RetryPolicy = { attempts: 3, baseMs: 200, longestWaitMs: 2_000 };

const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

function isIdempotent(method: string, stated: boolean | undefined): boolean {
  return stated ?? IDEMPOTENT_METHODS.has(method.toUpperCase());
}

/**
 * The wait after attempt `attempt` (counted from 1): the requested wait plus full jitter. `undefined` when there is no
 * further attempt, or the service requested a longer wait than the policy allows.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (attempt >= policy.attempts) return undefined;
  const requestedMs = retryAfterMs ?? 0;
  if (requestedMs > policy.longestWaitMs) return undefined;
  const jitter = random() * Math.min(policy.baseMs * 2 ** (attempt - 1), policy.longestWaitMs);
  return Math.min(requestedMs + jitter, Math.max(requestedMs, policy.longestWaitMs));
}
