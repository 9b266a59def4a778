import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { NotifyConfig } from '../config/schema.ts';
import { publicAddressesOnly } from '../http/address-guard.ts';
import { createHttpClient } from '../http/undici-client.ts';
import type { NotifierPort } from '../jobs/ports.ts';
import { messageOf } from '../model/errors.ts';
import type { DeliveryAttempt } from '../model/notification.ts';
import type { WebhookDefinition } from '../notify/definition.ts';
import { createNotifier } from '../notify/deliver.ts';
import { type Provisioned, provision } from '../notify/provision.ts';
import type { Store } from './store.ts';
import { openWebhookAccount, type WebhookAccount } from './webhook-account.ts';

export interface NotifierHandle {
  readonly port: NotifierPort;
  readonly webhooks: WebhookAccount;
  /** Makes the platform what the configuration says; deliveries wait until this has succeeded once. */
  provision(signal: AbortSignal): Promise<Provisioned>;
  /** Takes definitions as they were read back by somebody else. */
  use(definitions: ReadonlyMap<string, WebhookDefinition>): void;
  /** Why nothing can be delivered yet; `undefined` when all is well. */
  fault(): string | undefined;
  /** What an operator changed on the platform, as of the last look; `undefined` when nothing. */
  drift(): string | undefined;
  close(): Promise<void>;
}

const MAX_ANSWER_BYTES = 1_048_576;

/** The way from a verdict to a receiver: platform client, provisioning, rendering, delivery. */
export async function openNotifier(
  loaded: LoadedConfig,
  notify: NotifyConfig,
  store: Store,
  log: Logger,
  onAttempt: (route: string, attempt: DeliveryAttempt) => void = () => {},
): Promise<NotifierHandle> {
  const { secrets } = loaded;
  const webhooks = await openWebhookAccount(loaded, notify, store);
  const { account, desired } = webhooks;
  const outbound = createHttpClient({
    totalTimeoutMs: notify.timeout,
    maxResponseBytes: MAX_ANSWER_BYTES,
    guard: publicAddressesOnly(notify.allowAddresses),
  });
  let definitions: ReadonlyMap<string, WebhookDefinition> = new Map();
  let fault: string | undefined = 'not provisioned yet';
  let drift: string | undefined;
  return {
    port: createNotifier({
      webhooks: desired.webhooks.map(({ route }) => ({
        name: route,
        definition: () => definitions.get(route),
        variables: desired.variables,
      })),
      http: outbound,
      timeoutMs: notify.timeout,
      now: () => new Date(),
      recordAttempt: async (name, notification, attempt) => {
        log.info({ webhook: name, notification, attempt }, 'delivery attempt');
        onAttempt(name, attempt);
      },
      ...(secrets.signingSecret === undefined ? {} : { signingSecret: secrets.signingSecret }),
    }),
    webhooks,
    async provision(signal) {
      try {
        const provisioned = await provision({ ...account, lock: store.lock, desired, signal });
        definitions = provisioned.definitions;
        drift = driftIn(provisioned);
        fault = deletedByOthers(provisioned, desired.webhooks.length);
        return provisioned;
      } catch (error) {
        fault = messageOf(error);
        throw error;
      }
    },
    use: (read) => {
      definitions = read;
    },
    fault: () => fault,
    drift: () => drift,
    close: async () => void (await Promise.all([webhooks.close(), outbound.close()])),
  };
}

function driftIn({ changes }: Provisioned): string | undefined {
  const drifted = changes.filter((change) => change.drift);
  if (drifted.length === 0) return undefined;
  const parts = drifted.map(({ kind, name, action, fields }) => {
    const names = fields.filter((field) => field.drift).map((field) => field.name);
    return `${kind} ${name} (${names.join(', ')}) ${action === 'kept' ? 'kept' : 'restored'}`;
  });
  return `changed on the platform: ${parts.join('; ')}`;
}

/** With `drift: keep` a webhook that somebody deleted stays away, and its alerts wait. */
function deletedByOthers({ definitions }: Provisioned, wanted: number): string | undefined {
  if (definitions.size === wanted) return undefined;
  return 'a webhook was deleted on the platform and is kept so (`notify.drift`): its alerts wait';
}
