import type { z } from 'zod';
import { messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { type StoredKind, withVersion } from '../../model/stored/kind.ts';
import { StoreError } from '../errors.ts';
import { packJson, packLargeJson, unpackJson } from './compression.ts';

/** The place of a stored value, for errors. */
export interface StoredPlace {
  readonly key: string;
  /** The field, when `key` is a hash. */
  readonly field?: string;
  /** The remedy for an operator, in a sentence. */
  readonly remedy: string;
}

/** Called for a value that cannot be read where the others are used without it. */
export type OnUnreadable = (error: StoreError) => void;

/** The text or bytes of a value with the version of its kind. */
export function writeText<Value extends object>(kind: StoredKind<Value>, value: Value): string {
  return JSON.stringify(withVersion(kind, value));
}

export function writeValue<Value extends object>(
  kind: StoredKind<Value>,
  value: Value,
): Promise<Buffer | string> {
  return packJson(withVersion(kind, value));
}

/** Writes a value of any size, in steps that yield to other work. */
export function writeLargeValue<Value extends object>(
  kind: StoredKind<Value>,
  value: Value,
): Promise<Buffer | string> {
  return packLargeJson(withVersion(kind, value));
}

/**
 * Reads what `writeText`, `writeValue` and `writeLargeValue` wrote, also in older versions. Throws `StoreError`
 * `state-corrupt` or `state-newer`.
 */
export async function readValue<Value>(
  kind: StoredKind<Value>,
  stored: Buffer | string,
  place: StoredPlace,
): Promise<Value> {
  const value = await parseValue(kind, stored, place);
  return await checkValue(kind, value, place);
}

/** The JSON value that is stored, unchecked. Throws `StoreError` `state-corrupt`. */
async function parseValue(
  kind: StoredKind<unknown>,
  stored: Buffer | string,
  place: StoredPlace,
): Promise<unknown> {
  try {
    return typeof stored === 'string' ? JSON.parse(stored) : await unpackJson(stored);
  } catch (error) {
    throw corrupt(kind, place, messageOf(error), error);
  }
}

/** Upgrades and checks a parsed value. `version`: that of the value. Throws `StoreError` `state-corrupt` or `state-newer`. */
export async function checkValue<Value>(
  kind: StoredKind<Value>,
  stored: unknown,
  place: StoredPlace,
  version = versionOf(stored),
): Promise<Value> {
  if (version > kind.version) throw newer(kind, place, version);
  let value = stored;
  for (let step = version; step < kind.version; step += 1) value = kind.upgrades[step]?.(value);
  const schema = await kind.schema();
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw corrupt(kind, place, faultOf(read.error));
}

/** Reads those that can be read; the others are reported. */
export async function readEach<Stored, Value>(
  all: readonly Stored[],
  read: (stored: Stored) => Promise<Value>,
  onUnreadable: OnUnreadable,
): Promise<readonly Value[]> {
  const values = await Promise.all(all.map((stored) => read(stored).catch(reportTo(onUnreadable))));
  return values.filter((value) => value !== undefined);
}

/** For `catch`: reports an unreadable value, and throws anything else. */
export function reportTo(onUnreadable: OnUnreadable): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof StoreError)) throw error;
    onUnreadable(error);
    return undefined;
  };
}

/** The version in which a parsed value is written. */
export function versionOf(value: unknown): number {
  return isObject(value) && typeof value['version'] === 'number' ? value['version'] : 1;
}

/** The place at which a value does not fit its schema, and the reason. */
function faultOf({ issues: [issue] }: z.core.$ZodError): string {
  const where = (issue?.path ?? []).map(String).join('.');
  return `${where === '' ? 'the value' : where}: ${issue?.message ?? 'does not fit'}`;
}

function corrupt(kind: StoredKind<unknown>, place: StoredPlace, what: string, cause?: unknown): StoreError {
  return new StoreError(
    'state-corrupt',
    `${nameOf(place)} holds a ${kind.kind} that cannot be read (${what}). ${place.remedy}`,
    { cause },
  );
}

function newer(kind: StoredKind<unknown>, place: StoredPlace, version: number): StoreError {
  return new StoreError(
    'state-newer',
    `${nameOf(place)} holds a ${kind.kind} of version ${version}; this release reads up to ${kind.version}. Update this process.`,
    { retryable: true },
  );
}

function nameOf({ key, field }: StoredPlace): string {
  return field === undefined ? `Redis key ${key}` : `Redis key ${key}, field ${field},`;
}
