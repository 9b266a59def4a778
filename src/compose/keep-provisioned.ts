import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ProvisionChange } from '../model/alert/provision-change.ts';
import { CodedError, messageOf } from '../model/errors.ts';
import type { NotifierHandle } from './notifier.ts';

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
const JITTER = 0.2;

export interface KeepProvisionedOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Time between two looks at the platform; 0: once is enough. */
  readonly recheckMs: number;
}

/**
 * Applies the configuration to the platform and looks again from time to time, until the signal aborts. A platform that
 * cannot be provisioned is tried again and again.
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
    // Without a platform nobody else can change it.
    if (done && (recheckMs === 0 || notifier.webhooks.platform === undefined)) return;
    // Workers that were started together do not all look at the same moment.
    const pause = (done ? recheckMs : retryMs) * (1 - JITTER * Math.random());
    retryMs = done ? FIRST_RETRY_MS : Math.min(retryMs * 2, LONGEST_RETRY_MS);
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

async function provisionOnce(notifier: NotifierHandle, log: Logger, signal: AbortSignal): Promise<boolean> {
  try {
    const { changes } = await notifier.provision(signal);
    for (const change of changes) report(change, log);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const code = error instanceof CodedError ? error.code : undefined;
    log.error(
      { code, reason: messageOf(error) },
      notifier.webhooks.platform === undefined
        ? 'the webhooks cannot be used as they are configured; alerts wait until they can'
        : 'the webhook could not be provisioned; alerts wait until it is',
    );
    return false;
  }
}

/** Names of fields only: their values are for `lockhound webhook plan`. */
function report({ kind, name, action, drift, fields }: ProvisionChange, log: Logger): void {
  const change = { kind, name, action, fields: fields.map((field) => field.name) };
  const drifted = fields.filter((field) => field.drift).map((field) => field.name);
  if (drift) {
    const what = action === 'kept' ? 'kept (`notify.drift: keep`)' : 'restored';
    log.warn({ change, drifted }, `drift: ${kind} ${name} was changed on the platform: ${what}`);
  } else if (action === 'unchanged') log.debug({ change }, `${kind} ${name}: unchanged`);
  else log.info({ change }, `${kind} ${name}: ${action}`);
}
