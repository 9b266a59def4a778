import { randomUUID } from 'node:crypto';
import { chunks } from '../../model/chunks.ts';
import { CACHED_ADVISORY } from '../../model/stored/catalog.ts';
import type { Keys } from '../../store/keys.ts';
import type { RedisClient } from '../../store/redis/connection.ts';

const CHUNK = 500;
const MAX_KNOWN = 200_000;

/**
 * Copies facts of one shard to another. When both have one and they differ, the one that changed last stays, and the targets that
 * it concerns are selected. Each is copied once; a repeat changes nothing.
 */
export function createFactCopier(redis: RedisClient, source: Keys) {
  const copied = new Map<Keys, Set<string>>();
  const copy = async (
    keys: Keys,
    { kind }: { readonly kind: string },
    names: readonly string[],
  ): Promise<void> => {
    const known = copied.get(keys) ?? new Set<string>();
    copied.set(keys, known);
    const missing = names.filter((name) => !known.has(`${kind} ${name}`));
    if (missing.length === 0) return;
    const texts = await copyPart(redis, source.facts(kind), keys.facts(kind), missing);
    // Facts that are copied again do not change.
    if (known.size > MAX_KNOWN) known.clear();
    for (const name of missing) known.add(`${kind} ${name}`);
    if (kind === CACHED_ADVISORY.kind) return;
    const advisories = new Set(texts.flatMap((text) => advisoriesIn(text)));
    for (const part of chunks([...advisories], CHUNK)) await copy(keys, CACHED_ADVISORY, part);
  };
  return copy;
}

type FactKeys = ReturnType<Keys['facts']>;

interface Fact {
  readonly text: string | null;
  readonly answered: string | null;
  readonly changed: string | null;
  readonly pending: string | null;
  readonly young: string | null;
  readonly inspection: string | null;
  readonly inspectedAgain: string | null;
}

/** Resolves to the texts that the destination has then. */
async function copyPart(
  redis: RedisClient,
  from: FactKeys,
  to: FactKeys,
  names: readonly string[],
): Promise<readonly string[]> {
  const [theirs, ours] = await Promise.all([readFacts(redis, from, names), readFacts(redis, to, names)]);
  const pipeline = redis.pipeline();
  const texts: string[] = [];
  for (const [index, name] of names.entries()) {
    const [fact, known] = [theirs[index], ours[index]];
    if (fact === undefined || fact.text === null) continue;
    const differs = known !== undefined && known.text !== null && known.text !== fact.text;
    const isNewer = Number(fact.changed ?? 0) > Number(known?.changed ?? 0);
    if (known === undefined || known.text === null || (differs && isNewer)) {
      pipeline.hset(to.facts, name, fact.text).set(to.revision, randomUUID());
      // One of an earlier release has no time here: it is out of date until it is looked up again.
      pipeline.zadd(to.answered, fact.answered ?? 0, name);
      texts.push(fact.text);
    } else texts.push(known.text);
    if (fact.young !== null) pipeline.zadd(to.young, fact.young, name);
    copyInspection(pipeline, to, name, fact);
    if (fact.changed !== null) pipeline.zadd(to.changed, 'GT', fact.changed, name);
    const pending = differs ? String(Date.now()) : fact.pending;
    if (pending !== null) pipeline.zadd(to.pending, 'GT', pending, name);
  }
  const failed = (await pipeline.exec())?.find(([error]) => error !== null);
  if (failed?.[0] != null) throw failed[0];
  return texts;
}

function copyInspection(
  pipeline: ReturnType<RedisClient['pipeline']>,
  to: FactKeys,
  name: string,
  { inspection, inspectedAgain }: Fact,
): void {
  if (inspection !== null) {
    pipeline.hset(to.inspections, name, inspection).set(to.inspectionRevision, randomUUID());
  }
  if (inspectedAgain !== null) pipeline.zadd(to.inspectedAgain, inspectedAgain, name);
}

async function readFacts(
  redis: RedisClient,
  keys: FactKeys,
  names: readonly string[],
): Promise<readonly Fact[]> {
  const [texts, answered, changed, pending, young, inspections, inspectedAgain] = await Promise.all([
    redis.hmget(keys.facts, ...names),
    redis.zmscore(keys.answered, ...names),
    redis.zmscore(keys.changed, ...names),
    redis.zmscore(keys.pending, ...names),
    redis.zmscore(keys.young, ...names),
    redis.hmget(keys.inspections, ...names),
    redis.zmscore(keys.inspectedAgain, ...names),
  ]);
  return names.map((_, index) => ({
    text: texts[index] ?? null,
    answered: answered[index] ?? null,
    changed: changed[index] ?? null,
    pending: pending[index] ?? null,
    young: young[index] ?? null,
    inspection: inspections[index] ?? null,
    inspectedAgain: inspectedAgain[index] ?? null,
  }));
}

/** Ids of the advisories that a version record names; none in a text that cannot be read. */
function advisoriesIn(text: string): readonly string[] {
  try {
    const { record } = JSON.parse(text) as { readonly record?: { readonly advisoryIds?: readonly string[] } };
    return record?.advisoryIds ?? [];
  } catch {
    return [];
  }
}
