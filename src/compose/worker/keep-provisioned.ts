import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { raceAbort } from '../../model/race-abort.ts';
import type { NotifierHandle } from '../notifier.ts';

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
const JITTER = 0.2;

export interface KeepProvisionedOptions {
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

async function provisionOnce(notifier: NotifierHandle, log: Logger, signal: AbortSignal): Promise<boolean> {
  try {
    // A worker that stops does not wait for a Redis that is away.
    const { changes } = await raceAbort(notifier.provision(signal), signal);
    for (const change of changes) report(change, log);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const code = error instanceof CodedError ? error.code : undefined;
    log.error(
      { code, reason: messageOf(error) },
      notifier.webhooks.platform === undefined
        ? 'the configured webhooks cannot be used; alerts wait until they can'
        : 'the webhooks could not be provisioned; alerts wait until they are',
    );
    return false;
  }
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
