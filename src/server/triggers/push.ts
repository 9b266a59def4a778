import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../model/json-object.ts';
import { Refusal } from '../../operations/refusal.ts';

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
  {
    headers,
    body,
    now,
  }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly now: number },
): Push | undefined {
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
export function requireSignatureHeader(
  kind: TriggerKind,
  secret: string,
  headers: IncomingHttpHeaders,
): void {
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
