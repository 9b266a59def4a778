import type { SignalName } from '../../model/signal/signals.ts';
import type { LocatedPackage } from '../located-packages.ts';
import type { Rule, RuleFacts, RuleFinding } from '../rule.ts';
import { CRITICAL_SCORE, INCIDENT_SCORE, REASONS_ONLY } from '../signals/score.ts';
import { type Suspicion, suspicionOf } from '../signals/suspicion.ts';

/** Signals of a version that are an incident together. Those of a version that are none are a note, which its strongest signal names. */
export const suspicious: Rule = {
  name: 'suspicious',
  description:
    'Signals of a compromised release that are an incident together (`docs/signals.md`); critical from a score of 6 on.',
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

const FRESH: SignalName = 'fresh-release';

const ADVICE =
  'Do not install or deploy it before you know more. Lock the version before it, and look at what changed between the two.';

const DESCRIPTIONS: Readonly<Record<SignalName, string>> = {
  'integrity-mismatch':
    'The digest in the lockfile is that of another version, or no published version has it.',
  'young-requirement':
    'The version requires, for the first time, a package that is days old, or something that is no registry version.',
  'provenance-lost': 'The versions before carried a verified provenance, and this one carries none.',
  burst:
    'Versions of several lines or of many packages of one source project within minutes, or many after a year of silence.',
  'look-alike': 'A new direct package that is hardly used has a name like one that is used far more.',
  'capability-gained':
    'Go: the version uses the network, other programs or the system, and the one before did not.',
  'install-script':
    'The version runs a script when it is installed, and versions that were locked before did not.',
  withdrawn: 'The version was deprecated within days of its publication.',
  'pulled-siblings': 'The versions just before this one were deprecated or withdrawn.',
  revived: 'A release after years of silence, or on a line that was replaced years ago.',
  'source-moved': 'The source project is another one than for the versions before.',
  'dependency-changed':
    'What the version requires has changed since it was inspected, or is more than the lockfile says.',
  'scorecard-dropped': 'The scorecard of the source project is much lower than it was.',
  'fresh-release': 'The version was published less than `policy.minimumAge` (72 h) before it was locked.',
  unmaintained:
    'The package has had no release for three years, or its project is not maintained by its scorecard.',
  behind: 'The locked line has had no release for a year, and a later one has.',
};

/** A rule for each signal: its finding is a note, unless the signals together are an incident. Two are off (`REASONS_ONLY`). */
export const SIGNAL_RULES: readonly Rule[] = Object.entries(DESCRIPTIONS).map(([name, description]) => ({
  name,
  description,
  readsRecords: true,
  level: REASONS_ONLY.has(name) ? 'off' : 'note',
  severity: name === 'integrity-mismatch' ? 'high' : 'low',
  applies: hasInspections,
  judge(located, facts) {
    const found = incidentOf(located, facts);
    if (found === undefined || found.score >= INCIDENT_SCORE || found.headline !== name) return [];
    return [findingOf(located, facts, found)];
  },
}));

function hasInspections({ inspections }: RuleFacts): boolean {
  return inspections !== undefined && inspections.size > 0;
}

function incidentOf({ locked, groups }: LocatedPackage, facts: RuleFacts): Suspicion | undefined {
  const inspection = facts.inspections?.get(locked.purl);
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
