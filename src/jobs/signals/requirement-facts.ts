import { createHash } from 'node:crypto';
import type { VersionKey } from '../../model/lockfile/version-key.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import type { NewRequirement, ReleaseFacts, Requirement } from '../../model/signal/release-facts.ts';
import { isAddress } from '../../policy/signals/young-requirement.ts';
import type { InspectedPackage } from '../payloads/inspect-packages.ts';
import type { FactOptions } from './look-ups.ts';

/** More new requirements than this are not looked up. */
const MAX_NEW_REQUIREMENTS = 10;

/** What a version requires, what of it is new since the version before, and what the lockfile does not say. */
export async function requirementFacts(
  one: InspectedPackage,
  earlier: Promise<VersionKey | undefined>,
  before: Inspection | undefined,
  options: FactOptions,
): Promise<Partial<ReleaseFacts>> {
  const { releases, signal, attempt, lists } = options;
  const key = { system: one.system, name: one.name, version: one.version };
  const [own, old] = await Promise.all([
    attempt('requirements', () => releases.requirements(key, signal)),
    earlier.then((old) => old && attempt('requirements', () => releases.requirements(old, signal))),
  ]);
  if (own === undefined) return {};
  const text = own.map(({ name, requirement }) => `${name} ${requirement}`).sort();
  const hash = createHash('sha256').update(text.join('\n')).digest('base64url').slice(0, 22);
  const stated = {
    requirements: hash,
    ...(before?.requirements === undefined ? {} : { requirementsBefore: before.requirements }),
    ...(await unlockedFacts(one, own, options)),
  };
  if (old === undefined) return stated;
  const names = new Set(old.map(({ name }) => name));
  const addresses = new Set(old.map(({ requirement }) => requirement).filter(isAddress));
  const added = own.filter(
    ({ name, requirement }) => !names.has(name) || (isAddress(requirement) && !addresses.has(requirement)),
  );
  const looked = added.slice(0, MAX_NEW_REQUIREMENTS).map(async (required): Promise<NewRequirement> => {
    if (isAddress(required.requirement)) return required;
    const found = await attempt('requirements', async () => ({
      releases: await lists({ ...key, name: required.name }),
    }));
    return found === undefined ? required : { ...required, ...found };
  });
  return { ...stated, newRequirements: await Promise.all(looked) };
}

/**
 * Packages that an npm version states and its resolved graph has, and that the lockfile does not have as its edges. The graph is
 * looked up only when an edge is lacking. In other systems, features and markers decide which edges a lockfile has.
 */
async function unlockedFacts(
  { system, name, version, requires }: InspectedPackage,
  own: readonly Requirement[],
  { releases, signal, attempt }: FactOptions,
): Promise<Pick<ReleaseFacts, 'unlocked'>> {
  if (system !== 'NPM' || requires === undefined) return {};
  const locked = new Set(requires);
  const lacking = new Set(own.flatMap((one) => (locked.has(one.name) ? [] : one.name)));
  if (lacking.size === 0) return { unlocked: [] };
  const graph = await attempt('dependency graph', () => releases.graph({ system, name, version }, signal));
  if (graph === undefined) return {};
  const resolved = new Set(graph.map((one) => one.name));
  return { unlocked: [...lacking].filter((one) => resolved.has(one)) };
}
