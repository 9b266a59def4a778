import { isNotLookedUp, type LocatedPackage } from '../located-packages.ts';
import type { Rule, RuleFacts, RuleFinding } from '../rule.ts';
import { DETECTORS } from '../signals/catalog.ts';
import { CRITICAL_SCORE, INCIDENT_SCORE, type Suspicion, suspicionOf } from '../signals/suspicion.ts';

/** Signals of a version that are an incident together. Signals that are no incident together are a note, which the strongest one names. */
export const suspicious: Rule = {
  name: 'suspicious',
  title: 'A locked version shows signs of a compromised release',
  description:
    'Signals of a compromised release that are an incident together (`docs/signals.md`); critical from a score of 6 on.',
  help: {
    means:
      'what the registry says about a release looks like an incident: [signals](../signals.md) of at ' +
      'least 4 points. From 6 points on it is critical. The reasons in the finding name each signal; ' +
      'every signal has a page of its own in this folder.',
    sure:
      'it is no proof. [Incidents](../reference/incidents.md) lists which known incidents and which honest ' +
      'releases would have led to an alert.',
    todo:
      'do not install or deploy the version yet. Lock the version before it, compare both, and read ' +
      'the reasons in the finding.',
  },
  readsRecords: true,
  level: 'alert',
  severity: 'high',
  applies: hasInspections,
  judge(located, facts) {
    const found = incidentOf(located, facts);
    if (found === undefined || found.score < INCIDENT_SCORE) return [];
    const critical = found.score >= CRITICAL_SCORE ? { severity: 'critical' as const } : {};
    return [{ ...findingOf(located, facts, found), ...critical, advice: ADVICE }];
  },
};

const FRESH = 'fresh-release';

const ADVICE =
  'Do not install or deploy it before you know more. Lock the version before it, and look at what changed between the two.';

/** A rule for each signal: its finding is a note, unless the signals together are an incident. */
export const SIGNAL_RULES: readonly Rule[] = DETECTORS.map((detector) => ({
  level: 'note',
  severity: 'low',
  ...detector,
  readsRecords: true,
  applies: hasInspections,
  judge(located, facts) {
    const found = incidentOf(located, facts);
    if (found === undefined || found.score >= INCIDENT_SCORE || found.headline !== detector.name) return [];
    return [findingOf(located, facts, found)];
  },
}));

function hasInspections({ inspections }: RuleFacts): boolean {
  return inspections !== undefined && inspections.size > 0;
}

function incidentOf({ locked, groups }: LocatedPackage, facts: RuleFacts): Suspicion | undefined {
  const inspection = isNotLookedUp(locked) ? undefined : facts.inspections?.get(locked.purl);
  return inspection && suspicionOf(inspection, { target: facts.target.id, groups }, facts.policy);
}

/** Each version is an issue of its own: an update to another suspicious version is a new finding. */
function findingOf({ locked }: LocatedPackage, facts: RuleFacts, { score, reasons }: Suspicion): RuleFinding {
  const { name, version, purl } = locked;
  const targets = facts.inspections?.get(purl)?.targets ?? 0;
  const count = targets > 1 ? `; ${targets} targets locked it since` : '';
  // When it was published comes first, like in a report.
  const texts = reasons
    .toSorted((left, right) => Number(right.signal === FRESH) - Number(left.signal === FRESH))
    .map(({ text }) => text);
  return {
    title: `${name} ${version} ${texts.join('; it ')}${count}`,
    issue: version,
    suspicion: { score, reasons },
  };
}
