import { z } from 'zod';
import { messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { type StoredKind, withVersion } from '../../model/stored/kind.ts';
import { createYielder, type YieldIfDue } from '../../model/yielding.ts';
import { StoreError } from '../errors.ts';
import { isLarge, packJson, packLargeJson, unpackJson } from './compression.ts';

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
  return await checkValue(kind, value, place, { large: typeof stored !== 'string' && isLarge(stored) });
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

export interface CheckOptions {
  /** The value may be large: it is checked in steps that yield to other work. */
  readonly large?: boolean;
  /** Unset: the field `version` of the value. */
  readonly version?: number;
}

/** Upgrades and checks a parsed value. Throws `StoreError` `state-corrupt` or `state-newer`. */
export async function checkValue<Value>(
  kind: StoredKind<Value>,
  stored: unknown,
  place: StoredPlace,
  { large = false, version = versionOf(stored) }: CheckOptions = {},
): Promise<Value> {
  if (version > kind.version) throw newer(kind, place, version);
  let value = stored;
  for (let step = version; step < kind.version; step += 1) value = kind.upgrades[step]?.(value);
  const schema = await kind.schema();
  // A small value is copied by its schema; copies of a large one would take its memory twice.
  if (!large) {
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    throw corrupt(kind, place, faultOf(read.error, []));
  }
  const known = knownFields(schema, value);
  const fault = await findFault(schema, { value: known, path: [], yieldIfDue: createYielder() });
  if (!isSound<Value>(known, fault)) throw corrupt(kind, place, fault ?? '');
  return known;
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

/** Elements of a list that are checked in one step, which takes some milliseconds. */
const SLICE = 250;
/** Large lists are stored no deeper: `lockfiles[].packages`. */
const MAX_DEPTH = 4;

interface Part {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
  readonly yieldIfDue: YieldIfDue;
}

/** The first fault in a value, in words; its lists are checked in slices. Of a schema without transforms. */
async function findFault(schema: z.core.$ZodType, part: Part): Promise<string | undefined> {
  const inner = schema instanceof z.ZodExactOptional ? schema.unwrap() : schema;
  const { value, path } = part;
  if (path.length < MAX_DEPTH && inner instanceof z.ZodObject && isObject(value)) {
    return await findFaultInFields(inner.shape, value, part);
  }
  return inner instanceof z.ZodArray && Array.isArray(value)
    ? await findFaultInList(inner, value, part)
    : faultIn(schema, value, path);
}

async function findFaultInFields(
  shape: z.core.$ZodShape,
  fields: Readonly<Record<string, unknown>>,
  { path, yieldIfDue }: Part,
): Promise<string | undefined> {
  for (const [name, schema] of Object.entries(shape)) {
    if (schema instanceof z.ZodExactOptional && !Object.hasOwn(fields, name)) continue;
    const fault = await findFault(schema, { value: fields[name], path: [...path, name], yieldIfDue });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function findFaultInList(
  schema: z.ZodArray,
  list: readonly unknown[],
  { path, yieldIfDue }: Part,
): Promise<string | undefined> {
  const size = list.length <= SLICE && path.length < MAX_DEPTH ? 1 : SLICE;
  for (let at = 0; at < list.length; at += size) {
    await yieldIfDue();
    const fault =
      size === 1
        ? await findFault(schema.element, { value: list[at], path: [...path, at], yieldIfDue })
        : faultIn(schema, list.slice(at, at + size), path, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultIn(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  offset = 0,
): string | undefined {
  const read = z.safeParse(schema, value);
  return read.success ? undefined : faultOf(read.error, path, offset);
}

/** `offset`: index of the first element, where the value is a slice of a list. */
function faultOf({ issues: [issue] }: z.core.$ZodError, path: readonly PropertyKey[], offset = 0): string {
  const within = (issue?.path ?? []).map((key, at) =>
    at === 0 && typeof key === 'number' ? key + offset : key,
  );
  const where = [...path, ...within].map(String).join('.');
  return `${where === '' ? 'the value' : where}: ${issue?.message ?? 'does not fit'}`;
}

function isSound<Value>(_value: unknown, fault: string | undefined): _value is Value {
  return fault === undefined;
}

/** Returns a value without the version, and without fields that a newer release added. */
function knownFields(schema: z.core.$ZodType, value: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(schema.shape, name)));
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
