import { identityOf } from '../../fleet/identity.ts';
import { systemOf } from '../../model/lockfile/ecosystem.ts';
import type { Known } from '../../model/ports/cache.ts';
import type { Facts } from '../../model/ports/facts.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { VersionRecordSummary } from '../../model/scan/resolution.ts';
import { deprecated } from '../../policy/rules/deprecated.ts';

/**
 * Returns what the findings of an earlier report say of package versions, by identity: their advisories, and that they are deprecated. An index
 * that no longer states it may have lost its data.
 */
export function statedFacts(findings: readonly Finding[]): Pick<Facts<VersionRecordSummary>, 'read'> {
  const known = new Map<string, VersionRecordSummary>();
  for (const { package: locked, rule, advisory } of findings) {
    const system = systemOf(locked.ecosystem);
    const isDeprecated = rule === deprecated.name;
    if (system === undefined || (advisory === undefined && !isDeprecated)) continue;
    const identity = identityOf(locked);
    const before = known.get(identity);
    known.set(identity, {
      versionKey: { system, name: locked.name, version: locked.version },
      isDefault: false,
      isDeprecated: isDeprecated || before?.isDeprecated === true,
      licenses: [],
      advisoryIds: [...(before?.advisoryIds ?? []), ...(advisory === undefined ? [] : [advisory.id])],
    });
  }
  return {
    read: async (identities) =>
      identities.map((identity): Known<VersionRecordSummary> | undefined => {
        const record = known.get(identity);
        return record && { record };
      }),
  };
}
