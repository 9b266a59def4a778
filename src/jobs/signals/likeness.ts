import { defined } from '../../model/defined.ts';
import type { VersionKey } from '../../model/lockfile/version-key.ts';
import type { Release, ReleaseFacts } from '../../model/signal/release-facts.ts';
import { FEW_DEPENDENTS } from '../../policy/signals/look-alike.ts';
import type { FactOptions } from './look-ups.ts';

const MAX_SIMILAR = 5;

/** Packages with similar names, and how much they and the package itself are used. */
export async function likenessFacts(
  key: VersionKey,
  own: readonly Release[],
  { releases, signal, attempt, lists }: FactOptions,
): Promise<Partial<ReleaseFacts>> {
  const countOf = async (name: string, versions: readonly Release[]): Promise<number | undefined> => {
    const { version } = versions.find(({ isDefault }) => isDefault) ?? versions.at(-1) ?? {};
    if (version === undefined) return undefined;
    return await attempt('dependents', () => releases.dependents({ ...key, name, version }, signal));
  };
  // Most packages are known, and need no other look-up.
  const dependents = await countOf(key.name, own);
  if (dependents !== undefined && dependents > FEW_DEPENDENTS) return { dependents };
  const names = (await attempt('similar names', () => releases.similar(key, signal))) ?? [];
  const similar = names.slice(0, MAX_SIMILAR).map(async (name) => {
    const versions = (await attempt('similar names', () => lists({ ...key, name }))) ?? [];
    const count = await countOf(name, versions);
    return { name, ...defined({ dependents: count }) };
  });
  return { similar: await Promise.all(similar), ...defined({ dependents }) };
}
