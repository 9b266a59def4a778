import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../../config/load.ts';
import type { NotifyConfig } from '../../config/sections/notify.ts';
import type { DeliveryAttempt } from '../../model/alert/delivery.ts';
import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { raceAbort } from '../../model/time-limit.ts';
import { faultOf, type ObjectFault } from '../../notify/provisioning/object-faults.ts';
import type { Provisioned } from '../../notify/provisioning/provision.ts';
import { type ReadBack, withoutFaults } from '../../notify/provisioning/read-back.ts';
import type { Store } from '../store.ts';
import { createDelivery } from './delivery.ts';
import { configuredWebhooks, routingOf } from './routing.ts';
import { openWebhooks } from './webhooks.ts';

export type NotifierHandle = Awaited<ReturnType<typeof openNotifier>>;

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
) {
  const { secrets } = loaded;
  const webhooks = await openWebhooks(loaded, notify, store);
  const { desired } = webhooks;
  let current: ReadBack = { definitions: new Map(), variables: desired.variables, faults: [] };
  const allFail = (reason: string) => new Map(desired.webhooks.map(({ route }) => [route, reason]));
  /** Why routes are not as they are configured. */
  let reasons: ReadonlyMap<string, string> = allFail('not provisioned yet');
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
    /** The port of the jobs of one shard. */
    portOf: delivery.portOf,
    /** Makes one attempt without regard to stopped routes, for a test alert. Throws `NotifyError`. */
    send: delivery.notifierOf(store).deliver,
    /** The routes of changes. */
    routing: routingOf(notify),
    webhooks,
    /**
     * Applies the configuration to the platform, or checks it when there is no platform. The deliveries of a route wait until this
     * has succeeded for it once; after a fault, its last definition stays.
     */
    async provision(signal: AbortSignal): Promise<Provisioned> {
      try {
        const provisioned = await webhooks.provision(signal, (fault) => {
          logFault(fault, log, webhooks.platform === undefined);
          reasons = new Map([
            ...reasons,
            ...fault.routes.map((route) => [route, fault.error.message] as const),
          ]);
        });
        const { definitions, faults } = provisioned;
        const kept = [...current.definitions].filter(([route]) => faultOf(route, faults) !== undefined);
        current = { ...provisioned, definitions: new Map([...kept, ...definitions]) };
        drift = driftIn(provisioned);
        reasons = reasonsIn(provisioned, desired.webhooks);
        return provisioned;
      } catch (error) {
        reasons = allFail(messageOf(error));
        throw error;
      }
    },
    /** Uses the definitions that exist now, without writing. Throws `NotifyError`. */
    async read(signal: AbortSignal): Promise<void> {
      current = withoutFaults(await webhooks.read(signal));
    },
    /** Why no alert can be delivered; `undefined` when some can, also by a former definition. */
    fault: () => (current.definitions.size > 0 ? undefined : reasons.values().next().value),
    /** Routes whose webhooks do not exist, so that their alerts wait, with the reason. */
    unprovisioned: () =>
      desired.webhooks.flatMap(({ route }): [string, string][] =>
        current.definitions.has(route) ? [] : [[route, reasons.get(route) ?? 'not done yet']],
      ),
    /** The difference on the platform at the last comparison, and what could not be compared; `undefined` when there was none. */
    drift: () => {
      const stale = [...reasons].filter(([route]) => current.definitions.has(route));
      const notes = stale.map(([route, reason]) => `route ${route} uses its last definition: ${reason}`);
      return [drift ?? [], notes].flat().join('; ') || undefined;
    },
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

/** Why routes cannot be used as they are configured. With `drift: keep` a deleted webhook is not recreated, and its alerts wait. */
function reasonsIn(
  { definitions, faults }: Provisioned,
  webhooks: readonly { readonly route: string }[],
): ReadonlyMap<string, string> {
  const deleted = 'its webhook was deleted on the platform and is not recreated (`notify.drift: keep`)';
  return new Map(
    webhooks
      .filter(({ route }) => !definitions.has(route))
      .map(({ route }) => [route, faultOf(route, faults)?.error.message ?? deleted]),
  );
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
const JITTER = 0.2;

interface KeepProvisionedOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Interval between two comparisons with the platform; 0: only one. */
  readonly recheckMs: number;
}

/**
 * Applies the configuration to the platform at regular intervals until the signal aborts. Retries with a growing delay while
 * the platform cannot be provisioned.
 */
export async function keepProvisioned(
  notifier: NotifierHandle,
  options: KeepProvisionedOptions,
): Promise<void> {
  const { log, signal, recheckMs } = options;
  for (const warning of notifier.webhooks.warnings) log.warn(warning);
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    const done = await provisionOnce(notifier, log, signal);
    // Without a platform nothing else can change the webhooks.
    if (done && (recheckMs === 0 || notifier.webhooks.platform === undefined)) return;
    // Jitter: workers that were started together do not call the platform at the same moment.
    const pause = (done ? recheckMs : retryMs) * (1 - JITTER * Math.random());
    retryMs = done ? FIRST_RETRY_MS : Math.min(retryMs * 2, LONGEST_RETRY_MS);
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

/** Resolves to false when a webhook or a variable is not as it is configured. */
async function provisionOnce(notifier: NotifierHandle, log: Logger, signal: AbortSignal): Promise<boolean> {
  const { platform } = notifier.webhooks;
  try {
    // A worker that stops does not wait for a Redis that is away.
    const { changes, faults } = await raceAbort(notifier.provision(signal), signal);
    for (const change of changes) report(change, log);
    return faults.length === 0;
  } catch (error) {
    if (signal.aborted) return false;
    const code = error instanceof CodedError ? error.code : undefined;
    log.error(
      { code, reason: messageOf(error) },
      platform === undefined
        ? 'the configured webhooks cannot be used; alerts wait until they can'
        : 'the webhooks could not be provisioned; alerts wait until they are',
    );
    return false;
  }
}

function logFault({ kind, name, routes, error }: ObjectFault, log: Logger, isAlone: boolean): void {
  const what = isAlone ? 'cannot be used' : 'could not be provisioned';
  const effect =
    routes.length === 0 ? '' : '; alerts of its routes wait, unless they have a former definition';
  log.error({ code: error.code, reason: error.message, routes }, `${kind} ${name} ${what}${effect}`);
}

/** Logs names of fields only: values may be long. `lockhound webhook plan` prints them. */
function report({ kind, name, action, drift, fields }: ProvisionChange, log: Logger): void {
  const change = { kind, name, action, fields: fields.map((field) => field.name) };
  const drifted = fields.filter((field) => field.drift).map((field) => field.name);
  if (drift) {
    const what = action === 'kept' ? 'kept (`notify.drift: keep`)' : 'restored';
    log.warn({ change, drifted }, `drift: ${kind} ${name} was changed on the platform: ${what}`);
  } else if (action === 'unchanged') log.debug({ change }, `${kind} ${name}: unchanged`);
  else log.info({ change }, `${kind} ${name}: ${action}`);
}
