import type { FieldChange, ProvisionChange } from '../../model/alert/provision-change.ts';
import { undefinedFor } from '../../model/errors.ts';
import type { AppliedObject } from '../../model/ports/applied-objects.ts';
import { NotifyError } from '../errors.ts';
import type { Resource } from './resources.ts';

export interface CompareOptions {
  /** The object as it was last applied. */
  readonly remembered: AppliedObject | undefined;
  readonly drift: 'restore' | 'keep';
  /** Returns whether another configured object uses this name; then it must not be renamed or deleted. */
  readonly isTaken: (name: string) => boolean;
  readonly signal: AbortSignal;
}

export interface Comparison {
  readonly change: ProvisionChange;
  /** The name under which the object exists; `undefined` when it does not. */
  readonly at: string | undefined;
  /** Names of the fields that must be sent. */
  readonly send: readonly string[];
  /** The former name, when objects exist under both names. */
  readonly stale: string | undefined;
}

/** The changes that one object needs. Reads, and writes nothing. */
export async function compare<Actual>(
  resource: Resource<Actual>,
  options: CompareOptions,
): Promise<Comparison> {
  const { remembered, isTaken, signal } = options;
  const before = remembered?.name ?? resource.name;
  const old = before === resource.name || isTaken(before) ? undefined : before;
  const found = await readIfThere(resource, resource.name, signal);
  const foundOld = old === undefined ? undefined : await readIfThere(resource, old, signal);
  if (found !== undefined) {
    const stale = foundOld === undefined ? undefined : old;
    return { ...compareFields(resource, found.value, options), at: resource.name, stale };
  }
  if (foundOld !== undefined && old !== undefined) {
    const { change, send } = compareFields(resource, foundOld.value, options);
    const rename = { name: 'name', before: old, after: resource.name, drift: false, kept: false };
    const renamed = { ...change, action: 'updated', fields: [rename, ...change.fields] } as const;
    return { change: renamed, send, at: old, stale: undefined };
  }
  return { change: compareAbsent(resource, options), at: undefined, send: [], stale: undefined };
}

function compareFields<Actual>(
  { kind, name, fields }: Resource<Actual>,
  actual: Actual,
  { remembered, drift }: CompareOptions,
): Pick<Comparison, 'change' | 'send'> {
  const changes = fields.flatMap((field): FieldChange[] => {
    const applied = remembered?.fields[field.name];
    if (field.holds(actual, applied)) return [];
    const drifted = applied === field.hash;
    const kept = drifted && drift === 'keep';
    return [{ name: field.name, before: field.show(actual), after: field.shown, drift: drifted, kept }];
  });
  const send = changes.filter(({ kept }) => !kept).map((change) => change.name);
  const action = send.length > 0 ? 'updated' : changes.length > 0 ? 'kept' : 'unchanged';
  return {
    change: { kind, name, action, drift: changes.some((change) => change.drift), fields: changes },
    send,
  };
}

/** An object that was applied under this name and does not exist was deleted on the platform. */
function compareAbsent<Actual>(
  { kind, name, fields }: Resource<Actual>,
  { remembered, drift }: CompareOptions,
): ProvisionChange {
  const deleted = remembered?.name === name && Object.keys(remembered.fields).length > 0;
  const kept = deleted && drift === 'keep';
  return {
    kind,
    name,
    action: kept ? 'kept' : 'created',
    drift: deleted,
    fields: fields.map((field) => ({
      name: field.name,
      before: null,
      after: field.shown,
      drift: deleted,
      kept,
    })),
  };
}

/** The object under a name; `undefined` when no object has it. */
export async function readIfThere<Actual>(
  resource: { read(name: string, signal: AbortSignal): Promise<Actual> },
  name: string,
  signal: AbortSignal,
): Promise<{ readonly value: Actual } | undefined> {
  const reading = resource.read(name, signal).then((value) => ({ value }));
  return await reading.catch(undefinedFor(NotifyError, 'not-found'));
}
