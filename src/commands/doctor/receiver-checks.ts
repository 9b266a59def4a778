import { randomUUID } from 'node:crypto';
import { configuredWebhooks, routingOf } from '../../compose/notify/routing.ts';
import { openWebhooks, type Webhooks } from '../../compose/notify/webhooks.ts';
import type { NotifyConfig } from '../../config/sections/notify.ts';
import { publicAddressesOnly } from '../../http/address-guard.ts';
import { tryConnection } from '../../http/guarded-connection.ts';
import { closing } from '../../model/closing.ts';
import { messageOf } from '../../model/errors.ts';
import { broken, degraded, fine } from '../../model/fleet/checks.ts';
import { createMasker } from '../../model/secret.ts';
import { testNotification } from '../../notify/alert/test-notification.ts';
import { NotifyError } from '../../notify/errors.ts';
import { faultOf } from '../../notify/provisioning/object-faults.ts';
import { configuredAlone, type ReadBack } from '../../notify/provisioning/read-back.ts';
import { fitRequest } from '../../notify/rendering/fit-request.ts';
import { renderRequest } from '../../notify/rendering/render-request.ts';
import { secretsIn, valuesOf } from '../../notify/rendering/values.ts';
import { createRouteReach, type UnreachedRoute } from '../../policy/routing/unreached-routes.ts';
import { check, type Finding, type IndependentCheck, independent } from './check.ts';

const CONNECT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

const noRedis = () => Promise.reject(new Error('this check uses no Redis'));
/** Reading needs neither: nothing is applied. */
const NO_STORE: Parameters<typeof openWebhooks>[2] = {
  applied: { read: noRedis, write: noRedis, remove: noRedis },
  lock: { hold: noRedis },
};

/**
 * Reads the webhooks and variables, and deletes a webhook that does not exist: it shows that the credentials are valid, and may read and
 * manage. Nothing is changed.
 */
const credentials = independent('platform', 'credentials', async ({ loaded, signal }) => {
  const { notify } = loaded.config;
  if (notify?.platform === undefined)
    return fine('no platform is configured: webhooks live in the configuration');
  return await closing(openWebhooks(loaded, notify, NO_STORE), async (webhooks) => {
    const { definitions, faults } = await webhooks.read(signal);
    if (definitions.size === 0 && faults[0] !== undefined) throw faults[0].error;
    if (!(await mayManage(webhooks, signal)))
      return broken(
        'the keys may read, and not manage webhooks: nothing is created or repaired',
        'Give the application key the permissions that create and manage webhooks.',
      );
    // The routes of faults have a finding of their own.
    const known = new Set([...definitions.keys(), ...faults.flatMap(({ routes }) => routes)]);
    const missing = webhooks.desired.webhooks.filter(({ route }) => !known.has(route));
    const says = `the keys are valid, and may read and manage; ${definitions.size} of ${webhooks.desired.webhooks.length} webhooks exist`;
    if (missing.length === 0) return fine(says);
    const names = missing.map(({ name }) => name).join(', ');
    return degraded(
      `${says}; missing: ${names}`,
      'A worker creates them; `lockhound webhook apply` does it now.',
    );
  });
});

/** Whether the platform lets the keys delete a webhook, one that does not exist. */
async function mayManage({ platform }: Webhooks, signal: AbortSignal): Promise<boolean> {
  try {
    await platform?.account.client.deleteWebhook(`lockhound-doctor-${randomUUID()}`, signal);
  } catch (error) {
    if (!(error instanceof NotifyError)) throw error;
    if (error.code === 'authentication') return false;
    if (error.code !== 'not-found') throw error;
  }
  return true;
}

/** Renders a test alert for each route and opens a connection to its receiver. Sends nothing. */
const receivers = independent('receivers', 'routes', async ({ loaded, signal }) => {
  const { notify } = loaded.config;
  if (notify === undefined)
    return fine('no receiver is configured: changes are recorded, and no alerts are sent');
  if (notify.delivery === 'platform-event') return fine('the platform calls the receivers itself');
  return await closing(openWebhooks(loaded, notify, NO_STORE), async (webhooks) => {
    const configured = configuredAlone(webhooks.desired);
    const current = await webhooks.read(signal);
    const routes = configuredWebhooks(notify).map(({ route }) => route);
    // What the platform does not have yet, or does not tell, is rendered as it is configured.
    const known = { ...current, definitions: new Map([...configured.definitions, ...current.definitions]) };
    const found = await Promise.all(routes.map((route) => checkRoute(notify, known, route)));
    const missing = routes.filter((route) => !current.definitions.has(route));
    return [...found.flat(), ...missing.map((route) => notProvisioned(route, current.faults))];
  });
});

async function checkRoute(
  notify: NotifyConfig,
  { definitions, variables }: ReadBack,
  route: string,
): Promise<readonly Finding[]> {
  const definition = definitions.get(route);
  if (definition === undefined) return [];
  const mask = createMasker(secretsIn(variables).map((secret) => secret.reveal()));
  try {
    const rule = routingOf(notify).rules.find(({ name }) => name === route);
    const { mode = 'digest', match = {} } = rule ?? {};
    const transition = match.transitions?.[0] ?? 'opened';
    const date = new Date().toISOString();
    const notification = testNotification({ route, mode, id: 'msg_doctor', transition, date });
    const { request, bytes } = await fitRequest(notification, notify.maxBytes ?? MAX_BYTES, (alert) =>
      renderRequest(definition, valuesOf(alert, variables)),
    );
    const url = new URL(request.url);
    // A path may be a secret: many receivers put one there.
    await tryConnection(url, publicAddressesOnly(notify.allowAddresses), CONNECT_MS);
    const says = `a test alert renders to ${bytes} bytes, and ${mask(url.origin)} accepts connections`;
    return [{ ...fine(says), check: route }];
  } catch (error) {
    const remedy = 'Correct the template, the URL or `notify.allowAddresses`, then `lockhound webhook test`.';
    return [{ ...broken(mask(messageOf(error)), remedy), check: route }];
  }
}

function notProvisioned(route: string, faults: ReadBack['faults']): Finding {
  const fault = faultOf(route, faults);
  if (fault !== undefined) {
    const advice =
      'Correct its webhook or its variables here or on the platform; workers try again every 30 seconds.';
    return { ...broken(`its webhook cannot be used: ${fault.error.message}`, advice), check: route };
  }
  const remedy = 'A worker creates it; `lockhound webhook apply` does it now.';
  return { ...degraded('its webhook does not exist yet, so its alerts wait', remedy), check: route };
}

export const RECEIVER_CHECKS: readonly IndependentCheck[] = [credentials, receivers];

/** Routes that get nothing from the targets that were scanned. */
export const routeReach = check('receivers', 'reach', async ({ loaded, stores, signal }) => {
  const { notify } = loaded.config;
  if (notify === undefined) return [];
  const reach = createRouteReach(routingOf(notify));
  let targets = 0;
  for (const { targetSummaries } of stores.shards) {
    for await (const part of targetSummaries.all()) {
      signal.throwIfAborted();
      for (const [id, { labels }] of part) reach.add({ id, labels });
      targets += part.length;
    }
  }
  if (targets === 0) return fine('no target was scanned yet: which routes they reach is not known');
  const unreached = reach.unreached();
  if (unreached.length > 0) return unreached.map(unreachedFinding);
  return fine(`every route can get alerts of the ${targets === 1 ? 'target' : `${targets} targets`}`);
});

function unreachedFinding({ route, takenBy }: UnreachedRoute): Finding {
  const found =
    takenBy === undefined
      ? degraded(
          'no target has the labels of this route: it gets no alerts',
          'Compare `match.labels` with `lockhound targets`; a producer sets the labels of a target.',
        )
      : degraded(
          `route ${takenBy} takes everything that this route matches: it gets no alerts`,
          `Give route ${takenBy} conditions, or change the order of the routes or \`notify.take\`.`,
        );
  return { ...found, check: route };
}
