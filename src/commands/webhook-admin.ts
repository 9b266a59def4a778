import { createLogger } from '../compose/logger.ts';
import { openStore } from '../compose/store.ts';
import { openWebhookAccount } from '../compose/webhook-account.ts';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ProvisionChange } from '../model/provision-change.ts';
import { destroy, planDestroy } from '../notify/destroy.ts';
import { plan } from '../notify/plan.ts';
import { provision } from '../notify/provision.ts';
import { rotate } from '../notify/rotate.ts';
import { type ShownAccount, showAccount } from '../notify/show.ts';

/** What `lockhound webhook …` does to the platform. Every call may be repeated. All throw `NotifyError`. */
export interface WebhookAdmin {
  /** What works, and is worth a second look. */
  readonly warnings: readonly string[];
  plan(signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  apply(signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  planDestroy(signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  destroy(signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  rotate(variable: string, signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  show(signal: AbortSignal): Promise<ShownAccount>;
}

const NOTHING_REMEMBERED =
  'redis.url is unset: nothing remembers what was applied before, so every secret counts as changed, and renames and ' +
  'drift cannot be told';

/** Opens the account for the time of `work`. Throws `ConfigError` when no webhook is configured. */
export async function withWebhookAdmin<T>(
  loaded: LoadedConfig,
  work: (admin: WebhookAdmin) => Promise<T>,
): Promise<T> {
  const { notify, redis } = loaded.config;
  if (notify === undefined) throw noWebhook();
  const store = await openStore(loaded, createLogger(quietly(loaded)));
  try {
    const webhooks = await openWebhookAccount(loaded, notify, store);
    const { account, desired, close } = webhooks;
    const shared = { ...account, desired, lock: store.lock };
    try {
      return await work({
        warnings: [...webhooks.warnings, ...(redis.url === undefined ? [NOTHING_REMEMBERED] : [])],
        plan: (signal) => plan({ ...account, desired, signal }),
        apply: async (signal) => (await provision({ ...shared, signal })).changes,
        planDestroy: (signal) => planDestroy({ ...account, desired, signal }),
        destroy: (signal) => destroy({ ...shared, signal }),
        rotate: (variable, signal) => rotate({ ...shared, variable, signal }),
        show: (signal) => showAccount({ ...account, desired, signal }),
      });
    } finally {
      await close();
    }
  } finally {
    await store.close();
  }
}

export function noWebhook(): ConfigError {
  return new ConfigError(
    'config-invalid',
    'notify: no webhook is configured; `lockhound webhook --help` shows what to write',
  );
}

/** A person reads the result; the log is for looking closer, and stays quiet unless it was asked for. */
export function quietly(loaded: LoadedConfig): LoadedConfig {
  const { config } = loaded;
  return config.log.level === 'info' ? { ...loaded, config: { ...config, log: { level: 'error' } } } : loaded;
}
