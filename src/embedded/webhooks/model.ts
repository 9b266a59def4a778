import { isObject, jsonValue } from '../../model/json-object.ts';

/** A webhook definition as the platform stores it (webhook-integration API, "Webhook integration"). */
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

/** The result of an operation, with the platform's error texts. A name in use is a bad request: there is no conflict. */
export type Outcome =
  | { readonly kind: 'ok'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'bad-request' | 'not-found'; readonly error: string };

type Fields = Readonly<Record<string, unknown>>;

/** The payload that a null payload reads back as (field notes, "Webhook-integration API"), spacing included. */
const DEFAULT_PAYLOAD =
  '{"body": "$EVENT_MSG", "last_updated": "$LAST_UPDATED", "event_type": "$EVENT_TYPE", "title": "$EVENT_TITLE", ' +
  '"date": "$DATE", "org": {"id": "$ORG_ID", "name": "$ORG_NAME"}, "id": "$ID"}';

/** The definitions and variables of one account. */
export type WebhookModel = ReturnType<typeof createWebhookModel>;

export function createWebhookModel() {
  return {
    webhooks: createCollection<StoredWebhook>('Webhook', readWebhook, (webhook) => ({ ...webhook })),
    variables: createCollection<StoredVariable>('Custom variable', readVariable, shownVariable),
  };
}

export type Collection<Item extends { readonly name: string }> = ReturnType<typeof createCollection<Item>>;

/** Objects by name. `read` returns the object that a request makes from `before`, or the reason why it is not valid. */
function createCollection<Item extends { readonly name: string }>(
  label: string,
  read: (fields: Fields, before: Item | undefined) => Item | string,
  show: (item: Item) => Fields,
) {
  const items = new Map<string, Item>();
  const missing: Outcome = { kind: 'not-found', error: `${label} does not exist` };
  function store(fields: Fields, before: Item | undefined): Outcome {
    const item = read(fields, before);
    if (typeof item === 'string') return { kind: 'bad-request', error: item };
    if (item.name !== before?.name && items.has(item.name)) {
      return { kind: 'bad-request', error: `${label} already exists` };
    }
    if (before !== undefined) items.delete(before.name);
    items.set(item.name, item);
    return { kind: 'ok', body: show(item) };
  }
  return {
    /** Secret values included: never for an answer. */
    all: (): readonly Item[] => [...items.values()],
    create: (fields: Fields) => store(fields, undefined),
    get(name: string): Outcome {
      const found = items.get(name);
      return found === undefined ? missing : { kind: 'ok', body: show(found) };
    },
    /** Changes the named fields and keeps the others; a new name removes the old one. */
    update(name: string, fields: Fields): Outcome {
      const found = items.get(name);
      return found === undefined ? missing : store(fields, found);
    },
    delete: (name: string): Outcome => (items.delete(name) ? { kind: 'ok', body: {} } : missing),
  };
}

/** Answers never hold the value of a secret (rule 4). */
function shownVariable({ name, value, is_secret }: StoredVariable): Fields {
  return is_secret ? { is_secret, name } : { is_secret, name, value };
}

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

/** An absent field keeps its value; `null` is a value, which not every field accepts. */
function pick(fields: Fields, name: string, before: unknown): unknown {
  const value = fields[name];
  return value === undefined ? before : value;
}

function isJsonObject(value: unknown): value is string {
  return typeof value === 'string' && isObject(jsonValue(value));
}
