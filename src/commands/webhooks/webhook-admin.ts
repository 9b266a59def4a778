import { createLogger } from '../../compose/logger.ts';
import { openWebhooks, type WebhookAccount, type Webhooks } from '../../compose/notify/webhooks.ts';
import { openStore, type Store } from '../../compose/store.ts';
import { ConfigError } from '../../config/errors.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import { closing } from '../../model/closing.ts';
import { createMasker } from '../../model/secret.ts';
import { NotifyError } from '../../notify/errors.ts';
import { destroy, plan, planDestroy, provisionAll, rotate } from '../../notify/provisioning/provision.ts';
import { type ShownAccount, showAccount, showConfigured } from '../../notify/provisioning/show.ts';
import { validateDesired } from '../../notify/webhooks/validate.ts';

/** Administration of the webhooks on the platform. All functions are idempotent and throw `NotifyError`. */
export interface WebhookAdmin {
  /** Explains that nothing is provisioned; `undefined` when a platform is configured. */
  readonly unprovisioned: string | undefined;
  /** Valid settings that are probably a mistake. */
  readonly warnings: readonly string[];
  plan(signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  apply(signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  planDestroy(signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  destroy(signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  rotate(variable: string, signal: AbortSignal): Promise<readonly ProvisionChange[]>;
  show(signal: AbortSignal): Promise<ShownAccount>;
}

const NO_MEMORY =
  'redis.url is not set: what was applied before is unknown, so every secret counts as changed, and renames and drift ' +
  'cannot be detected';

/** Opens the administration for `work`. Throws `ConfigError` when no webhook is configured. */
export async function withWebhookAdmin<T>(
  loaded: LoadedConfig,
  work: (admin: WebhookAdmin) => Promise<T>,
): Promise<T> {
  const { notify, redis } = loaded.config;
  if (notify === undefined) throw noWebhook();
  return await closing(openStore(loaded, createLogger(withErrorsOnly(loaded))), (store) =>
    closing(openWebhooks(loaded, notify, store), (webhooks) =>
      work(
        webhooks.platform === undefined
          ? configurationAdmin(webhooks, loaded)
          : platformAdmin(webhooks, webhooks.platform, store, redis.url),
      ),
    ),
  );
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
    warnings: [...warnings, ...(redisUrl === undefined ? [NO_MEMORY] : [])],
    plan: (signal) => plan({ ...account, desired, signal }),
    apply: async (signal) => (await provisionAll({ ...shared, signal })).changes,
    planDestroy: (signal) => planDestroy({ ...account, desired, signal }),
    destroy: (signal) => destroy({ ...shared, signal }),
    rotate: (variable, signal) => rotate({ ...shared, variable, signal }),
    show: (signal) => showAccount({ ...account, desired, signal }),
  };
}

const UNPROVISIONED =
  'Nothing is provisioned: `notify.platform` is not configured, and alerts use the definitions in the configuration.';

/** The administration without a platform: it checks the configuration and changes nothing. */
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
        `${UNPROVISIONED} Restart the workers to use a new value of a secret`,
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
    'notify: no webhook is configured; `lockhound webhook --help` shows an example',
  );
}

/** Reduces the log to errors unless a level is configured, because the command prints its result. */
export function withErrorsOnly(loaded: LoadedConfig): LoadedConfig {
  const { config } = loaded;
  return config.log.level === 'info' ? { ...loaded, config: { ...config, log: { level: 'error' } } } : loaded;
}
