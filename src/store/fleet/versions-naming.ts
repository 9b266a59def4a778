import { jsonValue } from '../../model/json-object.ts';
import type { VersionRecordSummary } from '../../model/scan/inventory.ts';
import { createYielder } from '../../model/yielding.ts';
import type { FactStore } from '../facts/facts.ts';

/** Texts that are looked for in each fact. */
const FEW = 16;
/** The text of a fact that names any. */
const SOME = '"advisoryIds":["';

/** The versions whose record names some of the advisories: these by identity, from a pass over the facts of all versions. */
export async function versionsNaming(
  versions: Pick<FactStore<VersionRecordSummary>, 'scan'>,
  advisories: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (advisories.length === 0) return found;
  const wanted = new Set(advisories);
  const yieldIfDue = createYielder();
  // Most records name none of them; reading them all would take longer than the rest of the pass.
  const texts = advisories.length > FEW ? [SOME] : advisories.map((id) => JSON.stringify(id));
  for await (const part of versions.scan(...texts)) {
    for (const [key, text] of part) {
      const own = advisoryIdsOf(text)
        .map(String)
        .filter((id) => wanted.has(id));
      if (own.length > 0) found.set(key, own);
      await yieldIfDue();
    }
  }
  return found;
}

/** The ids of all advisories that records of versions name. */
export async function advisoriesNamed(
  versions: Pick<FactStore<VersionRecordSummary>, 'scan'>,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  const yieldIfDue = createYielder();
  for await (const part of versions.scan(SOME)) {
    for (const [, text] of part) {
      for (const id of advisoryIdsOf(text)) named.add(String(id));
      await yieldIfDue();
    }
  }
  return named;
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
