import { NotifyError } from './errors.ts';

/** What happened, or would, to one object of the platform. `fields` names the fields that differed; never values. */
export interface ProvisionChange {
  readonly kind: 'webhook' | 'variable';
  readonly name: string;
  readonly action: 'created' | 'updated' | 'unchanged';
  readonly fields: readonly string[];
}

/** One object of the platform against what is wanted of it. */
export interface Resource<Actual, Changes extends object> {
  readonly kind: ProvisionChange['kind'];
  readonly name: string;
  /** All fields that a creation sets. */
  readonly fields: readonly string[];
  read(signal: AbortSignal): Promise<Actual>;
  /** Only what has to change; no keys when all is as wanted. */
  differences(actual: Actual): Promise<Changes>;
  create(signal: AbortSignal): Promise<void>;
  update(changes: Changes, signal: AbortSignal): Promise<void>;
}

/** Times that others may create or delete the object between our reading and writing. */
const ATTEMPTS = 3;

/** What `reconcile` would do, without doing it. */
export async function compare<Actual, Changes extends object>(
  resource: Resource<Actual, Changes>,
  signal: AbortSignal,
): Promise<{ readonly change: ProvisionChange; readonly differences: Changes | undefined }> {
  const { kind, name } = resource;
  const actual = await readIfThere(resource, signal);
  if (actual === undefined) {
    return { change: { kind, name, action: 'created', fields: resource.fields }, differences: undefined };
  }
  const differences = await resource.differences(actual.value);
  const fields = Object.keys(differences);
  return {
    change: { kind, name, action: fields.length === 0 ? 'unchanged' : 'updated', fields },
    differences,
  };
}

/** Reads, then creates or updates. When somebody else was faster ("already exists", gone since), it looks again. */
export async function reconcile<Actual, Changes extends object>(
  resource: Resource<Actual, Changes>,
  signal: AbortSignal,
): Promise<ProvisionChange> {
  for (let attempt = 1; ; attempt += 1) {
    const { change, differences } = await compare(resource, signal);
    try {
      if (differences === undefined) await resource.create(signal);
      else if (change.action === 'updated') await resource.update(differences, signal);
      return change;
    } catch (error) {
      const overtaken = has(error, differences === undefined ? 'conflict' : 'not-found');
      if (!overtaken || attempt === ATTEMPTS) throw error;
    }
  }
}

async function readIfThere<Actual>(
  resource: { read(signal: AbortSignal): Promise<Actual> },
  signal: AbortSignal,
): Promise<{ readonly value: Actual } | undefined> {
  try {
    return { value: await resource.read(signal) };
  } catch (error) {
    if (has(error, 'not-found')) return undefined;
    throw error;
  }
}

function has(error: unknown, code: NotifyError['code']): boolean {
  return error instanceof NotifyError && error.code === code;
}
