/** A webhook definition as it is stored (webhook-integration API, "Webhook integration"). */
export interface StoredWebhook {
  readonly name: string;
  readonly url: string;
  /** JSON text of an object. */
  readonly custom_headers: string | null;
  readonly encode_as: 'json' | 'form';
  /** JSON text; the platform's default payload when none was given. */
  readonly payload: string;
}

export interface StoredVariable {
  readonly name: string;
  readonly value: string;
  readonly is_secret: boolean;
}

/** The outcome of an operation; errors in the words of the platform. A name that is taken is a bad request: there is no conflict. */
export type Outcome =
  | { readonly kind: 'ok'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'bad-request' | 'not-found'; readonly error: string };

type Fields = Readonly<Record<string, unknown>>;

/** What a null payload reads back as (field notes, "Webhook-integration API"), spacing included. */
const DEFAULT_PAYLOAD =
  '{"body": "$EVENT_MSG", "last_updated": "$LAST_UPDATED", "event_type": "$EVENT_TYPE", "title": "$EVENT_TITLE", ' +
  '"date": "$DATE", "org": {"id": "$ORG_ID", "name": "$ORG_NAME"}, "id": "$ID"}';

const NO_WEBHOOK: Outcome = { kind: 'not-found', error: 'Webhook does not exist' };
const NO_VARIABLE: Outcome = { kind: 'not-found', error: 'Custom variable does not exist' };

/** The definitions and variables of one account. */
export class WebhookModel {
  readonly #webhooks = new Map<string, StoredWebhook>();
  readonly #variables = new Map<string, StoredVariable>();

  get webhooks(): readonly StoredWebhook[] {
    return [...this.#webhooks.values()];
  }

  /** Secret values included: for tests of what was applied, never for an answer. */
  get variables(): readonly StoredVariable[] {
    return [...this.#variables.values()];
  }

  createWebhook(fields: Fields): Outcome {
    const read = readWebhook(fields, undefined);
    if (typeof read === 'string') return { kind: 'bad-request', error: read };
    if (this.#webhooks.has(read.name)) return { kind: 'bad-request', error: 'Webhook already exists' };
    this.#webhooks.set(read.name, read);
    return { kind: 'ok', body: { ...read } };
  }

  readWebhook(name: string): Outcome {
    const found = this.#webhooks.get(name);
    return found === undefined ? NO_WEBHOOK : { kind: 'ok', body: { ...found } };
  }

  /** Changes what is named and keeps the rest; a new name leaves nothing under the old one. */
  updateWebhook(name: string, fields: Fields): Outcome {
    const found = this.#webhooks.get(name);
    if (found === undefined) return NO_WEBHOOK;
    const read = readWebhook(fields, found);
    if (typeof read === 'string') return { kind: 'bad-request', error: read };
    if (read.name !== name && this.#webhooks.has(read.name)) {
      return { kind: 'bad-request', error: 'Webhook already exists' };
    }
    this.#webhooks.delete(name);
    this.#webhooks.set(read.name, read);
    return { kind: 'ok', body: { ...read } };
  }

  deleteWebhook(name: string): Outcome {
    return this.#webhooks.delete(name) ? { kind: 'ok', body: {} } : NO_WEBHOOK;
  }

  createVariable(fields: Fields): Outcome {
    const read = readVariable(fields, undefined);
    if (typeof read === 'string') return { kind: 'bad-request', error: read };
    if (this.#variables.has(read.name))
      return { kind: 'bad-request', error: 'Custom variable already exists' };
    this.#variables.set(read.name, read);
    return { kind: 'ok', body: shown(read) };
  }

  readVariable(name: string): Outcome {
    const found = this.#variables.get(name);
    return found === undefined ? NO_VARIABLE : { kind: 'ok', body: shown(found) };
  }

  updateVariable(name: string, fields: Fields): Outcome {
    const found = this.#variables.get(name);
    if (found === undefined) return NO_VARIABLE;
    const read = readVariable(fields, found);
    if (typeof read === 'string') return { kind: 'bad-request', error: read };
    if (read.name !== name && this.#variables.has(read.name)) {
      return { kind: 'bad-request', error: 'Custom variable already exists' };
    }
    this.#variables.delete(name);
    this.#variables.set(read.name, read);
    return { kind: 'ok', body: shown(read) };
  }

  deleteVariable(name: string): Outcome {
    return this.#variables.delete(name) ? { kind: 'ok', body: {} } : NO_VARIABLE;
  }
}

/** A secret's value is in no answer (rule 4). */
function shown({ name, value, is_secret }: StoredVariable): Fields {
  return is_secret ? { is_secret, name } : { is_secret, name, value };
}

/** The webhook that a request makes of `before`, or why it cannot. */
function readWebhook(fields: Fields, before: StoredWebhook | undefined): StoredWebhook | string {
  const name = pick(fields, 'name', before?.name);
  const url = pick(fields, 'url', before?.url);
  if (typeof name !== 'string' || name === '' || /\s/.test(name)) return 'Invalid webhook';
  // A URL may begin with a variable that holds it.
  if (typeof url !== 'string' || !/^(?:https?:\/\/[^\s/]|\$[A-Z0-9_])/.test(url))
    return 'Invalid webhook url';
  const headers = pick(fields, 'custom_headers', before?.custom_headers ?? null);
  if (headers !== null && !isJsonObject(headers)) return 'Invalid custom headers';
  const payload = pick(fields, 'payload', before?.payload ?? null);
  if (payload !== null && typeof payload !== 'string') return 'Invalid payload';
  const encoding = fields['encode_as'] ?? before?.encode_as ?? 'json';
  if (encoding !== 'json' && encoding !== 'form') return 'Invalid encoding';
  return {
    name,
    url,
    custom_headers: headers,
    encode_as: encoding,
    payload: payload ?? DEFAULT_PAYLOAD,
  };
}

function readVariable(fields: Fields, before: StoredVariable | undefined): StoredVariable | string {
  const name = pick(fields, 'name', before?.name);
  const value = pick(fields, 'value', before?.value);
  const secret = pick(fields, 'is_secret', before?.is_secret);
  if (typeof name !== 'string' || !/^[A-Z0-9_]+$/.test(name)) return 'Invalid custom variable name';
  if (typeof value !== 'string') return 'Invalid custom variable value';
  if (typeof secret !== 'boolean') return 'Invalid custom variable is_secret';
  return { name, value, is_secret: secret };
}

/** Absence keeps what was there; `null` is a value, and not every field may be it. */
function pick(fields: Fields, name: string, before: unknown): unknown {
  const value = fields[name];
  return value === undefined ? before : value;
}

function isJsonObject(value: unknown): value is string {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : undefined;
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
