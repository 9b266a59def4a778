import type { Rule } from '../rule.ts';

/** The text between the version and the licences in the issue of a finding. */
const JOINED = ' AND ';

/** Licences of the version that a target locked before. `text`: SPDX expressions that apply together, as one text. */
export type FormerLicenses = ReturnType<typeof formerLicensesOf>;

export const licenseChanged: Rule = {
  name: 'license-changed',
  title: 'A locked version has another licence than the one before',
  description: 'The version has another licence than the one that this target locked before.',
  help: {
    means:
      'the version has another licence than the one that the target locked before. Off by default; ' +
      '`policy.rules.license-changed.level` turns it on, also by label.',
    sure:
      'as sure as the licences that the index states for both versions. A licence that one of them ' +
      'does not state is no finding.',
    todo:
      'check whether the new licence permits your use. The finding stays open while the version is ' +
      'locked; [suppress](../suppressions.md) it with the reason once it is cleared.',
  },
  readsRecords: true,
  level: 'off',
  severity: 'low',
  applies: ({ formerLicenses }) => formerLicenses !== undefined && formerLicenses.size > 0,
  judge({ locked: { name, version, purl, resolution } }, { formerLicenses }) {
    const former = formerLicenses?.get(purl);
    const stated = resolution.record?.licenses ?? [];
    if (former === undefined || stated.length === 0 || licensesText(stated) === former.text) return [];
    return [
      {
        key: former.version,
        issue: `${former.version} ${former.text}`,
        title: `${name}: the licence is ${licensesText(stated)} in ${version}, and was ${former.text} in ${former.version}`,
        advice: 'Check whether the new licence permits your use.',
      },
    ];
  },
};

/** Expressions that apply together as one text, whatever their order. */
export function licensesText(stated: readonly string[]): string {
  return [...stated].sort().join(JOINED);
}

/** The licences that the issue of a finding names. */
export function formerLicensesOf(issue: string) {
  const end = issue.indexOf(' ');
  return { version: issue.slice(0, end), text: issue.slice(end + 1) };
}
