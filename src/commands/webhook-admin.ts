import { createLogger } from '../compose/logger.ts';
import { openStore, type Store } from '../compose/store.ts';
import type { WebhookAccount } from '../compose/webhook-account.ts';
import { openWebhooks, type Webhooks } from '../compose/webhooks.ts';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ProvisionChange } from '../model/alert/provision-change.ts';
import { createMasker } from '../model/masking.ts';
import { NotifyError } from '../notify/errors.ts';
import { destroy, planDestroy } from '../notify/provisioning/destroy.ts';
import { plan } from '../notify/provisioning/plan.ts';
import { provision } from '../notify/provisioning/provision.ts';
import { rotate } from '../notify/provisioning/rotate.ts';
import { type ShownAccount, showAccount } from '../notify/provisioning/show.ts';
import { showConfigured } from '../notify/webhooks/configured.ts';
import { validateDesired } from '../notify/webhooks/validate.ts';

/** What `lockhound webhook …` does to the platform. Every call may be repeated. All throw `NotifyError`. */
export interface WebhookAdmin {
  /** Why there is nothing to plan, apply or delete, where no platform is configured. */
  readonly unprovisioned: string | undefined;
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
    const webhooks = await openWebhooks(loaded, notify, store);
    try {
      return await work(
        webhooks.platform === undefined
          ? configurationAdmin(webhooks, loaded)
          : platformAdmin(webhooks, webhooks.platform, store, redis.url),
      );
    } finally {
      await webhooks.close();
    }
  } finally {
    await store.close();
  }
}

function platformAdmin(
  { desired, warnings }: Webhooks,
  { account }: WebhookAccount,
  { lock }: Pick<Store, 'lock'>,
  redisUrl: string | undefined,
): WebhookAdmin {
  const shared = { ...account, desired, lock };
  return {
    unprovisioned: undefined,
    warnings: [...warnings, ...(redisUrl === undefined ? [NOTHING_REMEMBERED] : [])],
    plan: (signal) => plan({ ...account, desired, signal }),
    apply: async (signal) => (await provision({ ...shared, signal })).changes,
    planDestroy: (signal) => planDestroy({ ...account, desired, signal }),
    destroy: (signal) => destroy({ ...shared, signal }),
    rotate: (variable, signal) => rotate({ ...shared, variable, signal }),
    show: (signal) => showAccount({ ...account, desired, signal }),
  };
}

const UNPROVISIONED =
  'Nothing is provisioned: no `notify.platform` is configured, and alerts are made of the definitions in the configuration.';

/** Without a platform: checks the configuration, and has nothing to change. */
function configurationAdmin({ desired, warnings }: Webhooks, { secrets }: LoadedConfig): WebhookAdmin {
  const checked = async () => {
    validateDesired(desired);
    return [];
  };
  return {
    unprovisioned: UNPROVISIONED,
    warnings,
    plan: checked,
    apply: checked,
    planDestroy: async () => [],
    destroy: async () => [],
    async rotate() {
      throw new NotifyError(
        'bad-request',
        `${UNPROVISIONED} A new value of a secret is used once the workers are restarted`,
      );
    },
    async show() {
      const values = Array.from(secrets.variables.values(), (secret) => secret.reveal());
      return showConfigured(desired, createMasker(values));
    },
  };
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
