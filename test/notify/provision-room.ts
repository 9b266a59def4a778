import { afterEach } from 'vitest';
import type { WebhookServiceOptions } from '../../src/embedded/webhooks/service.ts';
import type { ProvisionChange } from '../../src/model/alert/provision-change.ts';
import { createMasker, Secret } from '../../src/model/secret.ts';
import { genericPreset } from '../../src/notify/presets/generic.ts';
import { destroy, plan, provisionAll } from '../../src/notify/provisioning/provision.ts';
import { deriveHashKey } from '../../src/notify/provisioning/resources.ts';
import type { Desired, DesiredWebhook } from '../../src/notify/webhooks/definition.ts';
import { createLocalApplied, createLocalLock, startLocalPlatform } from './local-platform.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

export const WEBHOOK = {
  name: 'lockhound',
  url: 'https://$HOST/alerts',
  headers: { Authorization: 'Bearer $TOKEN' },
  payload: genericPreset.payload,
  encodeAs: 'json',
} as const;

/** Two variables, one of them secret, and a webhook that uses them. */
export function desiring(token = 'first-token', webhook: Partial<DesiredWebhook> = {}): Desired {
  return {
    webhooks: [{ route: 'default', ...WEBHOOK, ...webhook }],
    variables: { HOST: { value: 'example.com' }, TOKEN: { secret: new Secret(token) } },
  };
}

/** The local service and the options to provision it; closed after the test. */
export async function start(options: WebhookServiceOptions = {}) {
  const { service, client, close } = await startLocalPlatform(options);
  closers.push(close);
  const applied = createLocalApplied();
  const shared = {
    client,
    applied,
    mask: createMasker(['first-token', 'second-token']),
    account: service.url,
    hashKey: deriveHashKey(new Secret('application-key-of-the-tests')),
    lock: createLocalLock(),
    signal: new AbortController().signal,
  };
  const writes = () => service.snapshot().calls.filter((call) => !call.endsWith('.get'));
  return {
    service,
    client,
    applied,
    shared,
    writes,
    apply: (desired: Desired) => provisionAll({ ...shared, desired }),
    applyAlone: (desired: Desired) => provisionAll({ ...shared, lock: createLocalLock(), desired }),
    plan: (desired: Desired) => plan({ ...shared, desired }),
    destroy: (desired: Desired) => destroy({ ...shared, desired }),
  };
}

/** `NAME action field+field`. */
export const actions = (changes: readonly ProvisionChange[]) =>
  changes.map(({ name, action, fields }) =>
    `${name} ${action} ${fields.map((field) => field.name).join('+')}`.trim(),
  );
