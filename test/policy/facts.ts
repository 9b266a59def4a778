import { configSchema } from '../../src/config/schema.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type {
  Advisory,
  Inventory,
  Resolution,
  ResolvedLockfile,
  ResolvedPackage,
  VersionRecordSummary,
} from '../../src/model/scan/inventory.ts';
import { judge } from '../../src/policy/judge.ts';
import type { RuleFacts } from '../../src/policy/rule.ts';

/** The default policy. */
export const POLICY = configSchema.parse({}).policy;

/** A resolved npm package `name@version`; everything else as given. */
export function packageOf(id: string, given: Partial<ResolvedPackage> = {}): ResolvedPackage {
  const at = id.lastIndexOf('@');
  const [name, version] = [id.slice(0, at), id.slice(at + 1)];
  return {
    id,
    ecosystem: 'npm',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    direct: false,
    groups: [],
    line: undefined,
    dependencies: [],
    resolution: resolved(name, version),
    ...given,
  };
}

export function resolved(
  name: string,
  version: string,
  record: Partial<VersionRecordSummary> = {},
): Resolution {
  const versionKey = { system: 'NPM', name, version } as const;
  return {
    outcome: 'resolved',
    record: { versionKey, isDefault: false, isDeprecated: false, licenses: [], advisoryIds: [], ...record },
  };
}

/** A package to which these advisories apply. */
export function affected(
  id: string,
  advisoryIds: readonly string[],
  given: Partial<ResolvedPackage> = {},
): ResolvedPackage {
  const { name, version } = packageOf(id);
  return packageOf(id, { resolution: resolved(name, version, { advisoryIds }), ...given });
}

export function lockfileOf(
  packages: readonly ResolvedPackage[],
  given: Partial<ResolvedLockfile> = {},
): ResolvedLockfile {
  return {
    path: 'package-lock.json',
    sha256: 'a'.repeat(64),
    format: 'npm-package-lock',
    packages,
    problems: [],
    ...given,
  };
}

export function inventoryOf(...lockfiles: readonly ResolvedLockfile[]): Inventory {
  return { lockfiles, unread: [] };
}

export function advisoryOf(id: string, given: Partial<Advisory> = {}): Advisory {
  return { id, url: `https://example.com/${id}`, title: `About ${id}`, aliases: [], ...given };
}

export function advisories(...list: readonly Advisory[]): ReadonlyMap<string, Advisory> {
  return new Map(list.map((advisory) => [advisory.id, advisory]));
}

export function factsOf(inventory: Inventory, given: Partial<RuleFacts> = {}): RuleFacts {
  return {
    target: { id: 'shop/web', labels: {} },
    inventory,
    advisories: new Map(),
    graphs: new Map(),
    policy: POLICY,
    ...given,
  };
}

/** All findings of facts on which no rule fails. */
export async function findingsOf(facts: RuleFacts): Promise<readonly Finding[]> {
  return (await judge(facts)).findings;
}
