import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { NotifyConfig } from '../config/notify.ts';
import type { NotifierPort } from '../jobs/ports.ts';
import type { DeliveryAttempt } from '../model/alert/delivery.ts';
import type { Routing } from '../model/alert/routing.ts';
import { messageOf } from '../model/errors.ts';
import type { Notifier } from '../notify/delivery/deliver.ts';
import type { Provisioned, ReadBack } from '../notify/provisioning/provision.ts';
import { linker } from '../notify/rendering/details-link.ts';
import { createDelivery } from './delivery.ts';
import { configuredWebhooks, routingOf } from './routing.ts';
import type { Store } from './store.ts';
import { openWebhooks, type Webhooks } from './webhooks.ts';

export interface NotifierHandle {
  readonly port: NotifierPort;
  /** Makes one attempt without regard to stopped routes, for a test alert. Throws `NotifyError`. */
  readonly send: Notifier['deliver'];
  readonly webhooks: Pick<Webhooks, 'warnings' | 'platform'>;
  /** The routes of changes. */
  readonly routing: Routing;
  /**
   * Applies the configuration to the platform, or checks it when there is no platform. Deliveries wait until this has
   * succeeded once.
   */
  provision(signal: AbortSignal): Promise<Provisioned>;
  /** Uses the definitions that exist now, without writing. Throws `NotifyError`. */
  read(signal: AbortSignal): Promise<void>;
  /** Why alerts cannot be delivered; `undefined` when they can. */
  fault(): string | undefined;
  /** Routes whose webhooks do not exist, so that their alerts wait. */
  unprovisioned(): readonly string[];
  /** What differed on the platform at the last comparison; `undefined` when nothing did. */
  drift(): string | undefined;
  close(): Promise<void>;
}

/**
 * Opens the delivery of alerts: platform client, provisioning, rendering and delivery. `recordAttempt` receives attempts in
 * place of the delivery store.
 */
export async function openNotifier(
  loaded: LoadedConfig,
  notify: NotifyConfig,
  store: Store,
  log: Logger,
  recordAttempt?: (attempt: DeliveryAttempt) => void,
): Promise<NotifierHandle> {
  const { secrets } = loaded;
  const webhooks = await openWebhooks(loaded, notify, store);
  const { desired } = webhooks;
  const linked = linker(notify.link);
  let current: ReadBack = { definitions: new Map(), variables: desired.variables };
  let fault: string | undefined = 'not provisioned yet';
  let drift: string | undefined;
  const delivery = createDelivery({
    notify,
    secrets,
    webhooks: configuredWebhooks(notify).map(({ route, webhook }) => ({
      name: route,
      maxBytes: webhook.maxBytes ?? notify.maxBytes,
      definition: () => current.definitions.get(route),
      get variables() {
        return current.variables;
      },
    })),
    platform: webhooks.platform,
    store,
    log,
    recordAttempt,
  });
  return {
    port: {
      ...delivery.port,
      deliver: (route, notification, signal) => delivery.port.deliver(route, linked(notification), signal),
    },
    send: (route, notification, signal) => delivery.notifier.deliver(route, linked(notification), signal),
    routing: routingOf(notify),
    webhooks,
    async provision(signal) {
      try {
        const provisioned = await webhooks.provision(signal);
        current = provisioned;
        drift = driftIn(provisioned);
        fault = deletedByOthers(provisioned, desired.webhooks.length);
        return provisioned;
      } catch (error) {
        fault = messageOf(error);
        throw error;
      }
    },
    async read(signal) {
      current = await webhooks.read(signal);
    },
    fault: () => fault,
    unprovisioned: () =>
      desired.webhooks.map(({ route }) => route).filter((route) => !current.definitions.has(route)),
    drift: () => drift,
    close: async () => void (await Promise.all([webhooks.close(), delivery.close()])),
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

/** With `drift: keep` a deleted webhook is not recreated, and its alerts wait. */
function deletedByOthers({ definitions }: Provisioned, wanted: number): string | undefined {
  if (definitions.size === wanted) return undefined;
  return 'a webhook was deleted on the platform and is not recreated (`notify.drift: keep`): its alerts wait';
}
