import { NotifyError } from '../errors.ts';
import type { Desired, DesiredWebhook } from '../webhooks/definition.ts';
import { invalidRoutes, usedVariables } from '../webhooks/validate.ts';
import type { Resource } from './resources.ts';

/** Why one webhook or variable is not as it is configured. The other ones are not concerned. */
export interface ObjectFault extends Pick<Resource, 'kind' | 'name'> {
  /** The routes that cannot be used for that reason. */
  readonly routes: readonly string[];
  readonly error: NotifyError;
}

export type Faults = ReturnType<typeof collectFaults>;

/** Collects the faults of single objects; those of webhooks that cannot work are known before anything is sent. */
export function collectFaults(desired: Desired, onFault?: (fault: ObjectFault) => void) {
  const { webhooks, variables } = desired;
  const invalid = invalidRoutes(desired);
  const found = webhooks.flatMap(({ route, name }): ObjectFault[] => {
    const error = invalid.get(route);
    return error === undefined ? [] : [{ kind: 'webhook', name, routes: [route], error }];
  });
  const uses = (webhook: DesiredWebhook, { kind, name }: Pick<Resource, 'kind' | 'name'>) =>
    kind === 'webhook' ? webhook.name === name : usedVariables(webhook, variables).includes(name);
  for (const fault of found) onFault?.(fault);
  const routesOf = (object: Pick<Resource, 'kind' | 'name'>) =>
    webhooks.filter((one) => uses(one, object)).map(({ route }) => route);
  return {
    found,
    /** Whether a webhook, or a variable that it uses, has a fault. */
    isStopped: (route: string) => faultOf(route, found) !== undefined,
    /** The result of `work` on an object; `undefined` after a `NotifyError`, which is the fault of this object. */
    async attempt<Result>(
      { kind, name }: Pick<Resource, 'kind' | 'name'>,
      work: () => Promise<Result>,
    ): Promise<Result | undefined> {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof NotifyError)) throw error;
        const fault = { kind, name, routes: routesOf({ kind, name }), error };
        found.push(fault);
        onFault?.(fault);
        return undefined;
      }
    },
  };
}

/** The first fault for which a route cannot be used. */
export function faultOf(route: string, faults: readonly ObjectFault[]): ObjectFault | undefined {
  return faults.find(({ routes }) => routes.includes(route));
}
