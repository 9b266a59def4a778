import { SOURCE_ECOSYSTEM } from '../../model/lockfile/ecosystem.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Policy } from '../../model/scan/policy.ts';
import type { Rule } from '../rule.ts';
import { fingerprintOf } from '../same-finding.ts';

/**
 * Targets whose source could not be read for longer than `watch.unwatchedAfter`: what is in them now is unknown. Its findings come
 * from `judge-source`, because no scan of lockfiles can find them, and none resolves them.
 */
export const unwatched: Rule = {
  name: 'unwatched',
  title: 'The source of a target cannot be read',
  description:
    'A schedule could not read the source of the target for longer than `watch.unwatchedAfter` (24 h): it disappeared, has no lockfiles, or refuses the credentials.',
  help: {
    means:
      'a schedule could not read the source of the target for longer than `watch.unwatchedAfter` (24 ' +
      'h).',
    sure: 'sure. What is known of the target may be out of date; its findings stay open.',
    todo:
      '`lockhound schedules get` has the reason. Repair the address or its credentials, or remove the ' +
      'target.',
  },
  readsRecords: false,
  level: 'alert',
  severity: 'medium',
  applies: () => false,
  judge: () => [],
};

/** A source that cannot be read. */
export interface UnreadSource {
  readonly target: string;
  readonly schedule: string;
  /** Address for people, without credentials. */
  readonly address: string;
  /** Branch or tag. */
  readonly ref: string;
  readonly reason: string;
}

/** The finding about a source; `undefined` when the rule is off. */
export function unwatchedFinding(
  { target, schedule, address, ref, reason }: UnreadSource,
  policy: Policy,
): Finding | undefined {
  const settings = policy.rules[unwatched.name];
  const level = settings?.level ?? unwatched.level;
  if (level === 'off') return undefined;
  const purl = `pkg:generic/${encodeURIComponent(address)}${ref === '' ? '' : `@${encodeURIComponent(ref)}`}`;
  return {
    fingerprint: fingerprintOf(target, unwatched.name, purl, schedule),
    rule: unwatched.name,
    level,
    severity: settings?.severity ?? unwatched.severity ?? 'medium',
    title: `Not watched: ${reason}`,
    package: {
      ecosystem: SOURCE_ECOSYSTEM,
      name: address,
      version: ref,
      purl,
      direct: true,
      groups: [],
    },
    issue: schedule,
    locations: [{ path: locationOf(schedule), dependencyPath: [] }],
    advice: `Findings of this target may be out of date. See \`lockhound schedules get ${schedule}\`; repair the source, or remove it from the schedule.`,
  };
}

/** The place of a finding that a schedule reports. */
export function locationOf(schedule: string): string {
  return `schedule ${schedule}`;
}

export function isUnwatchedBy(schedule: string, { rule, issue }: Finding): boolean {
  return rule === unwatched.name && issue === schedule;
}
