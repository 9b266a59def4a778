import type { ApiClient, ApiResponse } from '../discovery/client.ts';
import { findMethod } from '../discovery/description/methods.ts';
import { DiscoveryError } from '../discovery/errors.ts';
import { HttpError } from '../http/errors.ts';
import type { InsightsMethods } from '../model/api/insights-api.generated.ts';
import { isObject } from '../model/json-object.ts';
import { systemOf } from '../model/lockfile/ecosystem.ts';
import { isRateLimited, isTemporary, rateLimitWait, retryOptions } from '../model/retry-after.ts';
import { type AnswerCheck, compileAnswerCheck, type Fields } from './answer-check.ts';
import type { Answer, Answered, ContractProblem } from './answered.ts';
import { InsightsError, ruleError } from './errors.ts';
import type { Gate } from './gate.ts';
import { createOffered, featureOf, notOffered, type Offered } from './offered.ts';
import { privateNames } from './request/private-names.ts';

type MethodId = keyof InsightsMethods;

export interface AskOptions {
  readonly signal: AbortSignal;
  /** The fields of the answer that are read, and therefore checked. Default: all fields of the description. */
  readonly fields?: Fields | undefined;
}

/** A request with many entries: the service answers each of them, so that a 404 or another shape is no answer about any of them. */
export interface BatchAskOptions<Value> extends AskOptions {
  /** Throws `InsightsError` (`contract`) for an answer that does not have the shape of the request. */
  readonly requireShape: (answer: Answer<Value>) => void;
}

/** A request: parameters of a GET, the body of a POST. */
interface Question<Id extends MethodId> {
  readonly params?: InsightsMethods[Id]['params'];
  readonly body?: InsightsMethods[Id]['body'];
}

export interface ServiceOptions {
  /** Names, with `*` for any text, that are never sent. */
  readonly privatePatterns?: readonly string[];
  /** Keeps requests from a service that fails. Default: every request is sent. */
  readonly gate?: Gate;
  /** The known features of the service. Default: that of this client. */
  readonly offered?: Offered;
}

/** The methods of the description document as typed calls. */
export interface InsightsService {
  /** Returns the name. Throws `InsightsError` (`private-name`) when it may not be sent. */
  allowed(name: string): string;
  /**
   * Prepares and sends a request, and checks the answer. An `InsightsError` of `prepare` and all failures of the service
   * are returned; rejects only when aborted (with the `HttpError` `aborted` or the signal's reason).
   */
  ask<Id extends MethodId>(
    id: Id,
    prepare: () => Question<Id>,
    options: AskOptions | BatchAskOptions<InsightsMethods[Id]['response']>,
  ): Promise<Answered<InsightsMethods[Id]['response']>>;
}

export function createInsightsService(api: ApiClient, options: ServiceOptions = {}): InsightsService {
  const { privatePatterns = [], gate = (_id, ask) => ask(), offered = createOffered() } = options;
  const isPrivate = privateNames(privatePatterns);
  const checks = new Map<string, AnswerCheck>();
  const checkOf = (id: MethodId, fields: Fields | undefined): AnswerCheck => {
    const key = fields === undefined ? id : `${id} ${fields.join(' ')}`;
    const known = checks.get(key);
    if (known !== undefined) return known;
    const check = compileAnswerCheck(api.document, findMethod(api.document, id).response ?? '', fields);
    checks.set(key, check);
    return check;
  };
  return {
    allowed(name) {
      if (!isPrivate(name)) return name;
      throw ruleError(
        'private-name',
        `${name} matches a private pattern of the configuration and is not sent`,
      );
    },
    async ask(id, prepare, { signal, fields, ...shape }) {
      try {
        const question = prepare();
        const isBatch = 'requireShape' in shape;
        const feature = featureOf(id, systemOfQuestion(question));
        const ask = async () => {
          const response = await send(api, id, { ...question, signal }, { isBatch, feature });
          const answer = read<InsightsMethods[typeof id]['response']>(response, checkOf(id, fields));
          if (isBatch) shape.requireShape(answer);
          return answer;
        };
        return await offered(feature, () => gate(partOf(id, question), ask, signal), signal);
      } catch (error) {
        if (error instanceof InsightsError) return { error };
        throw error;
      }
    },
  };
}

/** The part of an operation that may fail while its others work: the packages of one system. A batch of a scan has one system. */
function partOf(id: MethodId, question: Question<MethodId>): string {
  const system = systemOfQuestion(question);
  return system === undefined ? id : `${id} for ${system}`;
}

function systemOfQuestion({ params = {}, body }: Question<MethodId>): unknown {
  const stated = Object.entries(params).find(([name]) => name.endsWith('.system'))?.[1];
  return stated ?? systemOfFirst(body);
}

function systemOfFirst(body: unknown): unknown {
  const requests = isObject(body) ? body['requests'] : undefined;
  const first: unknown = Array.isArray(requests) ? requests[0] : undefined;
  if (!isObject(first)) return undefined;
  const { versionKey, packageKey = versionKey, purl } = first;
  if (isObject(packageKey)) return packageKey['system'];
  return typeof purl === 'string' ? systemOf(/^pkg:([^/]+)/.exec(purl)?.[1] ?? '') : undefined;
}

/** The subject of a refusal. */
interface Asked {
  readonly isBatch: boolean;
  /** The feature that a service may not have; `undefined`: every service has it. */
  readonly feature: string | undefined;
}

async function send(
  api: ApiClient,
  id: MethodId,
  call: Parameters<ApiClient['call']>[1],
  asked: Asked,
): Promise<ApiResponse> {
  let response: ApiResponse;
  try {
    response = await api.call(id, call);
  } catch (error) {
    throw withoutAnswer(error);
  }
  if (response.status !== 200) throw refusal(response, asked);
  return response;
}

/** The caller names the type; `check` leaves out what does not have it. */
function read<Value>({ content, body, request }: ApiResponse, check: AnswerCheck): Answer<Value> {
  if (content.kind === 'json' && isObject(content.value)) {
    const problems: ContractProblem[] = [];
    const value = check(content.value, problems) as Value;
    return { value, problems, raw: content.value, body };
  }
  // A proxy answered, or the answer was cut off: the next attempt may succeed.
  throw new InsightsError(
    'contract',
    `${request}: ${describeContent(content)} where a JSON object is expected`,
    {
      retryable: true,
    },
  );
}

function withoutAnswer(error: unknown): unknown {
  if (error instanceof DiscoveryError) return new InsightsError('invalid', error.message, { cause: error });
  if (!(error instanceof HttpError) || error.code === 'aborted') return error;
  const broken = error.code === 'too-large' || error.code === 'invalid-answer';
  const remedy = error.code === 'connect-failed' && !error.retryable ? '; check insights.url' : '';
  return new InsightsError(broken ? 'contract' : 'unavailable', error.message + remedy, {
    cause: error,
    retryable: error.retryable,
  });
}

function refusal(response: ApiResponse, { isBatch, feature }: Asked): InsightsError {
  const { status, content, request } = response;
  const message = `${request}: HTTP ${status}, ${describeContent(content)}`;
  if (isRateLimited(response)) {
    const retryAfterMs = rateLimitWait(response);
    return new InsightsError('rate-limited', message, { retryable: true, retryAfterMs });
  }
  if (isTemporary(response)) return new InsightsError('unavailable', message, retryOptions(response));
  if (status === 404 && feature !== undefined && !isAboutSubject(feature, content))
    return notOffered(feature);
  if (status === 404 && !isBatch && saysNotFound(content)) return new InsightsError('not-found', message);
  // The only status that concerns single entries (field notes, "Poison").
  if (status === 400) return new InsightsError('invalid', message);
  const cause = CREDENTIAL_STATUSES.has(status)
    ? 'the service, or a proxy before it, refuses the credentials'
    : 'not an answer of the package-insights API';
  return new InsightsError('refused', `${message}: ${cause}; check insights.url`);
}

/** Unauthorized, payment required, forbidden, proxy authentication required. */
const CREDENTIAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 407]);

/**
 * Whether the service itself says that the object does not exist, in plain text (field notes, "Errors"). A server or proxy
 * that lacks the path must not make every package `missing`.
 */
function saysNotFound(content: ApiResponse['content']): boolean {
  if (content.kind === 'empty') return false;
  const text = content.kind === 'text' ? content.text : JSON.stringify(content.value);
  return (
    text.length < 1000 && /not found|no results/i.test(text) && !/page not found|<html|cannot get/i.test(text)
  );
}

/**
 * Whether a 404 is about the version or package that was asked for. Findings have a value of their own for those that do not exist, so that a 404
 * says that there are none of anything.
 */
function isAboutSubject(feature: string, content: ApiResponse['content']): boolean {
  return feature !== 'findings' && /\b(?:version|package) not found\b/i.test(describeContent(content));
}

function describeContent(content: ApiResponse['content']): string {
  if (content.kind === 'empty') return 'an empty answer';
  if (content.kind === 'json') return `JSON (${JSON.stringify(content.value).slice(0, 100)})`;
  const text = content.text.trim();
  if (/^<(?:!doctype|html)/i.test(text)) return 'an HTML page';
  return `the text ${JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)}`;
}
