import { chunks, createYielder } from '../../model/yielding.ts';
import { type RedisClient, whenWritesMayBeLost } from '../redis/connection.ts';
import { createKeptValues, type KeptValues } from '../values/kept-values.ts';

/** Fields in one command: longer commands would block Redis. */
const CHUNK = 500;

export interface KeptReadsOptions<Value> {
  readonly hash: string;
  /** Key of a text that changes with each write that may change a value in the memory of a process. */
  readonly revision: string;
  /** Fields in the memory of this process. */
  readonly max: number;
  /** Whether few fields have a value: which ones is remembered. Then the revision changes when another one gets one. */
  readonly isSparse: boolean;
  /** Reads the text of a field. `undefined`: it cannot be read, which counts as absent. */
  readonly parse: (field: string, text: string) => Promise<Value | undefined>;
}

/** Values that were read while a revision was current. */
interface Kept<Value> {
  /** `undefined` before the first read. */
  readonly revision: string | null | undefined;
  readonly values: KeptValues<Value>;
  /** The fields with a value; `undefined` where they are not known, or too many. */
  readonly present: ReadonlySet<string> | undefined;
}

/**
 * Returns a function that reads fields of a hash, in the order of their names. Values stay in the memory of this process while the
 * revision in Redis is the same: targets that are judged one after the other have most packages in common.
 */
export function createKeptReads<Value extends object>(
  redis: RedisClient,
  { hash, revision, max, isSparse, parse }: KeptReadsOptions<Value>,
): (fields: readonly string[]) => Promise<readonly (Value | undefined)[]> {
  const emptyAt = (current?: string | null, present?: ReadonlySet<string>): Kept<Value> => ({
    revision: current,
    values: createKeptValues({ max }),
    present,
  });
  let kept = emptyAt();
  whenWritesMayBeLost(redis, () => {
    kept = emptyAt();
  });
  const load = async (fields: readonly string[], { values: own }: Kept<Value>) => {
    const loaded: (Value | undefined)[] = [];
    const yieldIfDue = createYielder();
    for (const part of chunks(fields, CHUNK)) {
      const texts = await redis.hmget(hash, ...part);
      for (const [index, field] of part.entries()) {
        const text = texts[index] ?? null;
        const value = text === null ? undefined : await parse(field, text);
        loaded.push(value);
        if (isSparse || value !== undefined) own.set(field, value);
      }
      await yieldIfDue();
    }
    return loaded;
  };
  return async (fields) => {
    if (fields.length === 0) return [];
    const current = await redis.get(revision);
    if (current !== kept.revision) {
      const isListed = isSparse && (await redis.hlen(hash)) <= max;
      kept = emptyAt(current, isListed ? new Set(await redis.hkeys(hash)) : undefined);
    }
    // Values that are read after the revision are at least as new. A read that began before goes on with its own.
    const now = kept;
    const { present } = now;
    const known = present === undefined ? fields : fields.filter((field) => present.has(field));
    const values = await now.values.getMany(known, (lacking) => load(lacking, now));
    let next = 0;
    return present === undefined
      ? values
      : fields.map((field) => (present.has(field) ? values[next++] : undefined));
  };
}
