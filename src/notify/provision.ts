import { createHmac } from 'node:crypto';
import type { AppliedSecrets } from '../model/applied-secrets.ts';
import type { Lock } from '../model/lock.ts';
import type { Secret } from '../model/secret.ts';
import {
  type DesiredState,
  type DesiredVariable,
  type DesiredWebhook,
  definitionOf,
  differences,
} from './definition.ts';
import { NotifyError } from './errors.ts';
import type { WebhooksIntegration } from './platform/api.generated.ts';
import type { WebhookPlatform } from './platform/client.ts';

export interface ProvisionOptions {
  readonly platform: WebhookPlatform;
  readonly lock: Lock;
  readonly appliedSecrets: AppliedSecrets;
  /** Names the account: applied secrets are remembered for each. */
  readonly account: string;
  /** Keys the hashes of applied secrets; known to whoever may provision, and never stored. */
  readonly hashKey: Secret;
  readonly desired: DesiredState;
  readonly signal?: AbortSignal;
}

export interface ProvisionStep {
  readonly kind: 'custom variable' | 'webhook';
  readonly name: string;
  readonly action: 'created' | 'updated' | 'unchanged';
  /** Fields that were set; a secret's value is `value (secret)`. */
  readonly fields: readonly string[];
}

export interface Provisioned {
  /** As it reads back from the platform: what deliveries are rendered from. */
  readonly definition: WebhooksIntegration;
  readonly steps: readonly ProvisionStep[];
}

/**
 * Makes the platform's webhook and custom variables what they are wanted to be: variables first, since the webhook uses
 * them; only what differs is written; one process at a time. Done twice it writes nothing. Throws `NotifyError`.
 */
export function provision(options: ProvisionOptions): Promise<Provisioned> {
  const { lock, desired, platform, signal } = options;
  return lock.hold(
    'provision-webhook',
    async (held) => {
      const steps: ProvisionStep[] = [];
      for (const [name, variable] of desired.variables)
        steps.push(await applyVariable(options, name, variable, held));
      steps.push(await applyWebhook(platform, desired.webhook, held));
      const definition = await platform.getWebhook(desired.webhook.name, held);
      if (definition !== undefined) return { definition, steps };
      throw new NotifyError(
        'contract',
        `webhook "${desired.webhook.name}" is not there right after it was written`,
        {
          retryable: true,
        },
      );
    },
    signal,
  );
}

async function applyVariable(
  { platform, appliedSecrets, account, hashKey }: ProvisionOptions,
  name: string,
  variable: DesiredVariable,
  signal: AbortSignal,
): Promise<ProvisionStep> {
  const isSecret = 'secret' in variable;
  const value = isSecret ? variable.secret.reveal() : variable.value;
  const hash = createHmac('sha256', hashKey.reveal())
    .update(JSON.stringify([account, name, value]))
    .digest('hex');
  const actual = await platform.getVariable(name, signal);
  // A secret never reads back: whether it is the one we want, only the hash of what we applied can tell.
  const same = isSecret
    ? actual?.is_secret === true && (await appliedSecrets.read(account, name)) === hash
    : actual?.is_secret === false && actual.value === value;
  const fields = [isSecret ? 'value (secret)' : 'value', 'is_secret'];
  if (same) return { kind: 'custom variable', name, action: 'unchanged', fields: [] };
  const body = { name, value, is_secret: isSecret };
  const action = await createOrUpdate(actual !== undefined, {
    create: () => platform.createVariable(body, signal),
    update: () => platform.updateVariable(name, { value, is_secret: isSecret }, signal),
  });
  if (isSecret) await appliedSecrets.write(account, name, hash);
  else await appliedSecrets.remove(account, name);
  return { kind: 'custom variable', name, action, fields };
}

async function applyWebhook(
  platform: WebhookPlatform,
  webhook: DesiredWebhook,
  signal: AbortSignal,
): Promise<ProvisionStep> {
  const { name } = webhook;
  const wanted = definitionOf(webhook);
  const actual = await platform.getWebhook(name, signal);
  const changes = actual === undefined ? wanted : differences(wanted, actual);
  const fields = Object.keys(changes);
  if (fields.length === 0) return { kind: 'webhook', name, action: 'unchanged', fields };
  const action = await createOrUpdate(actual !== undefined, {
    create: () => platform.createWebhook(wanted, signal),
    update: () => platform.updateWebhook(name, changes, signal),
  });
  return { kind: 'webhook', name, action, fields };
}

interface Writes {
  readonly create: () => Promise<unknown>;
  readonly update: () => Promise<unknown>;
}

/** Somebody else may have created or deleted it since it was read: then the other write is the right one. */
async function createOrUpdate(exists: boolean, { create, update }: Writes): Promise<'created' | 'updated'> {
  try {
    await (exists ? update() : create());
    return exists ? 'updated' : 'created';
  } catch (error) {
    if (!(error instanceof NotifyError)) throw error;
    if (exists && error.code === 'not-found') {
      await create();
      return 'created';
    }
    if (!exists && error.code === 'conflict') {
      await update();
      return 'updated';
    }
    throw error;
  }
}
