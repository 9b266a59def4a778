import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../model/errors.ts';
import { isLoopback } from '../../model/loopback.ts';
import type { StoredVariable, StoredWebhook } from './model.ts';

/** A call that the platform made. `status`: status of the last attempt; absent when there was no answer. */
export type WebhookCall = Awaited<ReturnType<typeof callWebhook>>;

const ATTEMPTS = 3;
const PAUSE_MS = 50;
const LIMIT_MS = 15_000;

/**
 * Calls a webhook as the platform does (field notes): an unsigned POST with a limit of 15 s, repeated on 5xx and lost
 * connections, never on 4xx. Variables of the account replace those of the event. Only this machine's addresses are called.
 */
export async function callWebhook(
  webhook: StoredWebhook,
  variables: readonly StoredVariable[],
  event: ReadonlyMap<string, string>,
) {
  const values = new Map([...event, ...variables.map(({ name, value }) => [name, value] as const)]);
  const url = URL.parse(fill(webhook.url, values, (text) => text));
  // A local service must not call real receivers.
  if (url === null || !isLoopback(url.hostname)) {
    return { webhook: webhook.name, error: 'not called: the URL is not on this machine', attempts: 0 };
  }
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await callOnce(webhook, url, values);
    const retryable = outcome.status === undefined || outcome.status >= 500;
    if (!retryable || attempt === ATTEMPTS) return { webhook: webhook.name, ...outcome, attempts: attempt };
    await sleep(PAUSE_MS);
  }
}

type Values = ReadonlyMap<string, string>;

async function callOnce(
  webhook: StoredWebhook,
  url: URL,
  values: Values,
): Promise<{ status?: number; error?: string }> {
  try {
    const payload = fill(webhook.payload, values, (text) => JSON.stringify(text).slice(1, -1));
    const isForm = webhook.encode_as === 'form';
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        ...headersOf(webhook, values),
      },
      body: isForm ? formOf(payload) : payload,
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    await response.arrayBuffer();
    return { status: response.status };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function headersOf({ custom_headers: text }: StoredWebhook, values: Values): Record<string, string> {
  const onOneLine = (value: string) => value.replace(/[\r\n]+/g, ' ');
  const headers = Object.entries<unknown>(text === null ? {} : JSON.parse(text));
  return Object.fromEntries(headers.map(([name, value]) => [name, fill(String(value), values, onOneLine)]));
}

/** Replaces `$NAME` by the value of the longest known name; unknown names stay. */
function fill(template: string, values: Values, escaped: (text: string) => string): string {
  return template.replace(/\$([A-Z0-9_]+)/g, (whole, run: string) => {
    for (let length = run.length; length > 0; length -= 1) {
      const value = values.get(run.slice(0, length));
      if (value !== undefined) return escaped(value) + run.slice(length);
    }
    return whole;
  });
}

function formOf(payload: string): URLSearchParams {
  const fields = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  return new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}
