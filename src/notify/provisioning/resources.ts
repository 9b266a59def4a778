import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { jsonValue } from '../../model/json-object.ts';
import type { AppliedObjects } from '../../model/ports/applied-objects.ts';
import type { Masker, Secret } from '../../model/secret.ts';
import type {
  WebhooksIntegration,
  WebhooksIntegrationCustomVariableResponse,
} from '../platform/api.generated.ts';
import type { PlatformClient } from '../platform/client.ts';
import { markQuoted, splitTemplate } from '../rendering/template.ts';
import type { Desired, DesiredWebhook, VariableValue } from '../webhooks/definition.ts';
import { bodyOf, DEFAULT_PAYLOAD, parseHeaders } from '../webhooks/definition.ts';

/** An account on the platform, and what is remembered of it. */
export interface Account {
  readonly client: PlatformClient;
  readonly applied: AppliedObjects;
  /** Identifies the account in what is remembered, such as the platform's base URL. Holds no secret. */
  readonly account: string;
  /** From `deriveHashKey`. */
  readonly hashKey: KeyObject;
  /** Masks configured secrets in values that the platform returns. */
  readonly mask: Masker;
}

/** The desired value of one field of an object on the platform. */
export interface Field<Actual> {
  readonly name: string;
  /** Keyed hash of the desired value, remembered once it is applied. */
  readonly hash: string;
  /** The desired value for display, without secrets. */
  readonly shown: string | null;
  /** The value on the platform for display, without secrets. */
  show(actual: Actual): string | null;
  /** Returns whether the platform holds the desired value. `applied` is the last applied hash, for secrets. */
  holds(actual: Actual, applied: string | undefined): boolean;
}

/** A desired object of the platform. */
export interface Resource<Actual = unknown> {
  readonly kind: 'webhook' | 'variable';
  /** The key under which it is remembered: `webhook/<route>` or `variable/<NAME>`. */
  readonly id: string;
  readonly name: string;
  /** All fields that a creation sets. */
  readonly fields: readonly Field<Actual>[];
  read(name: string, signal: AbortSignal): Promise<Actual>;
  create(signal: AbortSignal): Promise<void>;
  /** Sends only the named fields, and the desired name when the object exists under another one (`at`). */
  update(at: string, fields: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The desired objects in the order in which they are applied: variables, then the webhooks that use them. */
export function resourcesOf(account: Account, { variables, webhooks }: Desired): readonly Resource[] {
  return [
    ...Object.entries(variables).map(([name, value]) => variableResource(account, name, value)),
    ...webhooks.map((webhook) => webhookResource(account, webhook)),
  ] as readonly Resource[];
}

function webhookResource(account: Account, webhook: DesiredWebhook): Resource<WebhooksIntegration> {
  const { client, mask } = account;
  const { name } = webhook;
  const id = `webhook/${webhook.route}`;
  const body = bodyOf(webhook);
  const same: Readonly<Record<keyof typeof body, (actual: WebhooksIntegration) => boolean>> = {
    url: (actual) => sameUrl(actual.url, body.url),
    custom_headers: (actual) => sameHeaders(actual.custom_headers ?? null, body.custom_headers),
    encode_as: (actual) => (actual.encode_as ?? 'json') === body.encode_as,
    payload: (actual) => samePayload(actual.payload ?? null, body.payload),
  };
  const masked = (text: string | null | undefined) => (typeof text === 'string' ? mask(text) : null);
  const field = (key: keyof typeof body): Field<WebhooksIntegration> => ({
    name: key,
    hash: hashOf(account, id, key, body[key]),
    shown: masked(body[key]),
    show: (actual) => masked(actual[key]),
    holds: same[key],
  });
  return {
    kind: 'webhook',
    id,
    name,
    fields: [field('url'), field('custom_headers'), field('encode_as'), field('payload')],
    read: (at, signal) => client.readWebhook(at, signal),
    create: async (signal) => void (await client.createWebhook({ name, ...body }, signal)),
    update: async (at, fields, signal) => {
      const changes = { ...pick(body, fields), ...(at === name ? {} : { name }) };
      await client.updateWebhook(at, changes, signal);
    },
  };
}

type Variable = WebhooksIntegrationCustomVariableResponse;

export function variableResource(account: Account, name: string, desired: VariableValue): Resource<Variable> {
  const { client, mask } = account;
  const id = `variable/${name}`;
  const secret = 'secret' in desired;
  const body = { value: secret ? desired.secret.reveal() : desired.value, is_secret: secret };
  const [hash, secrecy] = [
    hashOf(account, id, 'value', body.value),
    hashOf(account, id, 'is_secret', secret),
  ];
  const value: Field<Variable> = {
    name: 'value',
    hash,
    shown: secret ? '(secret, changed)' : mask(body.value),
    show: (actual) => (secret || isSecret(actual) ? '(secret)' : mask(actual.value ?? '')),
    // A secret cannot be read back: it is current when its hash is the last applied one. A change of `is_secret` needs
    // the value again.
    holds: (actual, applied) => {
      if (isSecret(actual) !== secret) return false;
      return secret ? applied === hash : actual.value === body.value;
    },
  };
  const isSecretField: Field<Variable> = {
    name: 'is_secret',
    hash: secrecy,
    shown: String(secret),
    show: (actual) => String(isSecret(actual)),
    holds: (actual) => isSecret(actual) === secret,
  };
  return {
    kind: 'variable',
    id,
    name,
    fields: [value, isSecretField],
    read: (at, signal) => client.readVariable(at, signal),
    create: async (signal) => void (await client.createVariable({ name, ...body }, signal)),
    update: async (at, fields, signal) => void (await client.updateVariable(at, pick(body, fields), signal)),
  };
}

/** Answers never hold the value of a secret (rule 4), so a missing value marks a secret when `is_secret` is absent. */
export function isSecret({ is_secret, value }: Pick<Variable, 'is_secret' | 'value'>): boolean {
  return is_secret ?? value === undefined;
}

/** Derives the key for hashes of applied values from the application key. */
export function deriveHashKey(applicationKey: Secret): KeyObject {
  const key = hkdfSync('sha256', applicationKey.reveal(), '', 'lockhound: applied secrets', 32);
  return createSecretKey(Buffer.from(key));
}

/** HMAC-SHA256, hex. It covers account, object and field, so that equal values have different hashes. */
function hashOf({ hashKey, account }: Account, id: string, field: string, value: unknown): string {
  return createHmac('sha256', hashKey)
    .update(JSON.stringify([account, id, field, value]))
    .digest('hex');
}

function pick<Body extends object>(body: Body, fields: readonly string[]): Partial<Body> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name))) as Partial<Body>;
}

/** Compares payload templates as JSON; null is the default payload. */
function samePayload(left: string | null, right: string | null): boolean {
  const [one, other] = [left ?? DEFAULT_PAYLOAD, right ?? DEFAULT_PAYLOAD];
  if (one === other) return true;
  const [parsed, otherParsed] = [parseTemplate(one), parseTemplate(other)];
  return parsed !== undefined && otherParsed !== undefined && isDeepStrictEqual(parsed, otherParsed);
}

/** Compares URL templates; a platform may write `https://a.example` as `https://a.example/`. */
export function sameUrl(left: string, right: string): boolean {
  if (left === right) return true;
  const [one, other] = [URL.parse(left), URL.parse(right)];
  return one !== null && other !== null && one.href === other.href;
}

/** Compares `custom_headers` as JSON objects; null is an empty one. */
function sameHeaders(left: string | null, right: string | null): boolean {
  const [one, other] = [parseHeaders(left), parseHeaders(right)];
  return one !== undefined && other !== undefined && isDeepStrictEqual(one, other);
}

/** Parses JSON that may hold unquoted variables. */
function parseTemplate(template: string): { readonly value: unknown } | undefined {
  const pieces = markQuoted(splitTemplate(template, () => true));
  const text = pieces.map((piece) => {
    if ('text' in piece) return piece.text;
    // An object, so that `$A` and `"$A"` differ.
    return piece.quoted ? `$${piece.variable}` : JSON.stringify({ '\0variable': piece.variable });
  });
  const value = jsonValue(text.join(''));
  return value === undefined ? undefined : { value };
}
