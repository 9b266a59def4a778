import { jsonValue } from '../../model/json-object.ts';
import type { VersionRecordSummary } from '../../model/scan/inventory.ts';
import { createYielder } from '../../model/yielding.ts';
import type { FactStore } from '../facts/facts.ts';

/** Texts that are looked for in each fact. */
const FEW = 16;
/** The text of a fact that names any. */
const SOME = '"advisoryIds":["';

type Versions = Pick<FactStore<VersionRecordSummary>, 'scan'>;

/** The versions whose record names some of the advisories: these by identity, from a pass over the facts of all versions. */
export async function versionsNaming(
  versions: Versions,
  advisories: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (advisories.length === 0) return found;
  const wanted = new Set(advisories);
  // Most records name none of them; reading them all would take longer than the rest of the pass.
  const texts = advisories.length > FEW ? [SOME] : advisories.map((id) => JSON.stringify(id));
  for await (const [key, ids] of namedIn(versions, texts)) {
    const own = ids.filter((id) => wanted.has(id));
    if (own.length > 0) found.set(key, own);
  }
  return found;
}

/** The ids of all advisories that records of versions name. */
export async function advisoriesNamed(versions: Versions): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for await (const [, ids] of namedIn(versions, [SOME])) for (const id of ids) named.add(id);
  return named;
}

/** The advisories that each record with one of the texts names; other work of the process runs between records. */
async function* namedIn(
  versions: Versions,
  texts: readonly string[],
): AsyncGenerator<readonly [key: string, ids: readonly string[]]> {
  const yieldIfDue = createYielder();
  for await (const part of versions.scan(...texts)) {
    for (const [key, text] of part) {
      yield [key, advisoryIdsOf(text).map(String)];
      await yieldIfDue();
    }
  }
}

/**
 * The advisories that the text of a fact names. One that is damaged names none: it counts as unknown, and the next answer of the service
 * replaces it.
 */
export function advisoryIdsOf(text: string): readonly unknown[] {
  const fact = jsonValue(text) as { readonly record?: { readonly advisoryIds?: unknown } } | null | undefined;
  const { advisoryIds } = fact?.record ?? {};
  return Array.isArray(advisoryIds) ? advisoryIds : [];
}
