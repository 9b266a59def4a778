import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isObject } from '../../model/json-object.ts';
import { firstShard } from '../../operations/context.ts';
import { Refusal } from '../../operations/refusal.ts';
import { submitSource } from '../../operations/scans/source-scan.ts';
import type { AskStore } from '../api/ask-store.ts';
import { callerAddress, createRequestRates } from '../api/auth/request-rates.ts';
import { createOpenBodies } from '../api/open-bodies.ts';
import type { ServeContext } from '../serve-context.ts';

export const TRIGGER_KINDS = ['github', 'gitlab'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** A push to the default branch of a repository. */
export interface Push {
  /** Its URL for `git`. */
  readonly repository: string;
  /** `owner/name`. */
  readonly name: string;
  readonly ref: string;
  /** SHA-256 of the signed body, hex: equal for a repetition. */
  readonly digest: string;
}

/** Pushes that are older than this are refused, in milliseconds. */
export const PUSH_WINDOW_MS = 24 * 3_600_000;

/**
 * Checks the signature of a webhook of GitHub (`X-Hub-Signature-256`) or the token of one of GitLab (`X-Gitlab-Token`), in constant
 * time, and reads it. `undefined` for what is no push to the default branch. Throws `Refusal`.
 */
export function readPush(
  kind: TriggerKind,
  secret: string,
  request: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly now: number },
): Push | undefined {
  const { headers, body, now } = request;
  const isSigned = kind === 'github' ? hasSignature(secret, headers, body) : hasToken(secret, headers);
  if (!isSigned) throw notSigned();
  const event = parse(body);
  const isPush =
    kind === 'github'
      ? headers['x-github-event'] === 'push'
      : event['object_kind'] === 'push' && headers['x-gitlab-event'] === 'Push Hook';
  if (!isPush || event['deleted'] === true || /^0+$/.test(String(event['after']))) return undefined;
  const repository = objectIn(event, kind === 'github' ? 'repository' : 'project');
  requireRecent(repository['pushed_at'], now);
  const branch = textIn(repository, 'default_branch');
  if (event['ref'] !== `refs/heads/${branch}`) return undefined;
  return {
    repository: textIn(repository, kind === 'github' ? 'clone_url' : 'git_http_url'),
    name: textIn(repository, kind === 'github' ? 'full_name' : 'path_with_namespace'),
    ref: branch,
    digest: createHash('sha256').update(body).digest('hex'),
  };
}

/** Throws `Refusal` for a webhook that no body could make valid, so that its body is not received. */
function requireSignatureHeader(kind: TriggerKind, secret: string, headers: IncomingHttpHeaders): void {
  const isPossible = kind === 'github' ? signatureIn(headers) !== undefined : hasToken(secret, headers);
  if (!isPossible) throw notSigned();
}

function notSigned(): Refusal {
  return new Refusal(401, 'signature-invalid', 'the signature of the webhook is not valid');
}

function signatureIn(headers: IncomingHttpHeaders): string | undefined {
  return /^sha256=([0-9a-f]{64})$/.exec(String(headers['x-hub-signature-256']))?.[1];
}

function hasSignature(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const given = signatureIn(headers) ?? '0'.repeat(64);
  const own = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(Buffer.from(given, 'hex'), own);
}

/** GitLab sends the secret itself. Hashes have one length, which the comparison needs. */
function hasToken(secret: string, headers: IncomingHttpHeaders): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(String(headers['x-gitlab-token'] ?? '')), hash(secret));
}

/** GitHub states when the push happened, in seconds. */
function requireRecent(pushedAt: unknown, now: number): void {
  if (typeof pushedAt !== 'number' || Math.abs(now - pushedAt * 1_000) <= PUSH_WINDOW_MS) return;
  throw new Refusal(403, 'push-old', 'the push is older than a day');
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (isObject(value)) return value;
  } catch (cause) {
    throw new Refusal(
      400,
      'invalid-body',
      'the webhook is not JSON: choose the content type application/json',
      { cause },
    );
  }
  throw new Refusal(400, 'invalid-body', 'the webhook is not a JSON object');
}

function objectIn(from: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = from[name];
  if (isObject(value)) return value;
  throw new Refusal(400, 'invalid-body', `the webhook has no ${name}`);
}

function textIn(from: Readonly<Record<string, unknown>>, name: string): string {
  const value = from[name];
  if (typeof value === 'string' && value !== '' && value.length <= 1_000) return value;
  throw new Refusal(400, 'invalid-body', `the webhook has no ${name}`);
}

/** Webhooks of pushes are at most 25 MB; those of large pushes have few commits, because lists are cut. */
const MAX_BODY_BYTES = 26_214_400;
/** Bodies that are received at the same time, in bytes. Their signature is checked afterwards. */
const MAX_ALL_BODIES = 134_217_728;
/** Senders give a webhook up after 10 s. */
const MAX_BODY_MS = 15_000;
/** Webhooks of one address that are not signed, in a second. */
const FAILURES_PER_SECOND = 5;

/**
 * Adds `POST /hooks/<name>` for each trigger of the configuration: a push to the default branch scans the repository. A repetition within
 * a day is ignored, and an older push of GitHub is refused; GitLab states no time. Throws `ConfigError` for a secret that cannot be read.
 */
export function addPushTriggers(
  app: FastifyInstance,
  context: Pick<ServeContext, 'loaded' | 'fleet'> & { readonly askStore: AskStore },
  log: Pick<Logger, 'info'>,
): void {
  const { loaded, fleet, askStore } = context;
  const { serve } = loaded.config;
  const { apiAnswers } = firstShard(fleet);
  const triggers = new Map(
    serve.triggers.map((trigger) => {
      const secret = loaded.secrets.triggers?.get(trigger.name)?.reveal() ?? '';
      return [trigger.name, { ...trigger, secret }] as const;
    }),
  );
  const countRequest = createRequestRates(serve.requestsPerSecond);
  const countFailure = createRequestRates(FAILURES_PER_SECOND);
  const openBodies = createOpenBodies({ maxTotal: MAX_ALL_BODIES, maxMs: MAX_BODY_MS });
  const triggerOf = ({ params }: FastifyRequest) => {
    const { name } = params as { readonly name: string };
    const trigger = triggers.get(name);
    if (trigger === undefined) throw new Refusal(404, 'not-found', `there is no trigger ${name}`);
    return trigger;
  };
  /** Limits the forged webhooks of an address, and not those that are signed. */
  const signed = <Result>({ socket }: FastifyRequest, check: () => Result): Result => {
    try {
      return check();
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) countFailure(callerAddress(socket));
      throw error;
    }
  };
  app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    hooks.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    // Before the body is received.
    hooks.addHook('onRequest', async (request) => {
      const { name, kind, secret } = triggerOf(request);
      countRequest(`${name} ${callerAddress(request.socket)}`);
      signed(request, () => requireSignatureHeader(kind, secret, request.headers));
    });
    hooks.post(
      '/hooks/:name',
      { bodyLimit: MAX_BODY_BYTES, config: { openBodies } },
      async (request, reply) => {
        const { name, kind, secret, prefix, labels } = triggerOf(request);
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const push = signed(request, () =>
          readPush(kind, secret, { headers: request.headers, body, now: Date.now() }),
        );
        if (push === undefined) return reply.code(202).send({ ignored: 'no push to the default branch' });
        const scan = `push-${push.digest.slice(0, 40)}`;
        const known = `${name} ${push.digest}`;
        const target = { id: `${prefix}${push.name}`, labels };
        const answer = await askStore(async () => {
          if (await apiAnswers.isKnown(known)) return { scan, ignored: 'the push is known' };
          const source = { kind: 'git', url: push.repository, ref: push.ref } as const;
          await submitSource(context, { scan, target, source });
          await apiAnswers.remember(known, PUSH_WINDOW_MS);
          log.info({ trigger: name, target: target.id, scan }, 'a push starts a scan');
          return { scan };
        });
        return reply.code(202).send(answer);
      },
    );
  });
}
