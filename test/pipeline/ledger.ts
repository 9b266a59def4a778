import type { Finding } from '../../src/model/scan/finding.ts';
import { DETECTORS } from '../../src/policy/signals/catalog.ts';
import type { Room } from './world.ts';

/** Open findings by key: the severity that they have, or that a receiver knows. */
export type OpenKeys = ReadonlyMap<string, string>;

const SEVERITIES = ['low', 'medium', 'high', 'critical'];

export function severityOf(score: number): string {
  if (score >= 9) return 'critical';
  return score >= 7 ? 'high' : score >= 4 ? 'medium' : 'low';
}

/** A change in the body of a delivery. */
interface SentChange {
  readonly target: string | null;
  readonly transition: string;
  readonly severity: string;
  readonly rule: string;
  readonly package: string;
  readonly version: string;
  readonly advisories: readonly string[];
}

interface SentAlert {
  readonly target: string;
  readonly reminder: boolean;
  readonly changes: readonly SentChange[];
}

/** What names an open finding: the rule and the version, or the advisory in any version. */
function keyOf(target: string, { rule, package: name, version, advisories }: SentChange): string {
  return advisories.length === 0
    ? `${target} ${name}@${version} ${rule}`
    : `${target} ${name} ${advisories[0]}`;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * What a receiver knows after all deliveries that are no reminders. Throws for a change that is repeated or out of order. `suppressed`:
 * findings that were suppressed from the start, which their receivers learn of when the suppression ends.
 */
function ledgerOf(bodies: readonly string[], suppressed: ReadonlySet<string>): OpenKeys {
  const open = new Map<string, string>();
  const closed = new Set<string>();
  const expectedOf = (key: string): readonly string[] => {
    if (open.has(key)) return ['resolved', 'worsened'];
    // An issue that was resolved opens anew in another version of its package.
    if (closed.has(key)) return ['reopened', 'opened'];
    return suppressed.has(key) ? ['reopened'] : ['opened'];
  };
  const sent = alertsIn(bodies).filter(({ reminder }) => !reminder);
  for (const { key, transition, severity } of sent.flatMap(keyedChanges)) {
    const expected = expectedOf(key);
    if (!expected.includes(transition)) {
      throw new Error(`${transition} ${key}: expected ${expected.join(' or ')}`);
    }
    if (transition === 'resolved') {
      open.delete(key);
      closed.add(key);
    } else open.set(key, severity);
  }
  return open;
}

function alertsIn(bodies: readonly string[]): readonly SentAlert[] {
  return bodies.map((body) => JSON.parse(body) as SentAlert);
}

/** One alert resolves an issue in one version of a package and opens it in another, which have one key: what is resolved comes first. */
function keyedChanges({ target, changes }: SentAlert) {
  return changes
    .map((change) => ({ ...change, key: keyOf(change.target ?? target, change) }))
    .toSorted(
      (left, right) => Number(right.transition === 'resolved') - Number(left.transition === 'resolved'),
    );
}

/** The findings of each reminder, in the order of their delivery. */
export function remindersOf(bodies: readonly string[]): readonly (readonly string[])[] {
  const reminders = alertsIn(bodies).filter(({ reminder }) => reminder);
  return reminders.map((one) =>
    keyedChanges(one)
      .map(({ key }) => key)
      .sort(),
  );
}

/** Findings that the receiver does not know, or knows as less severe. Severities that were lowered are not sent. */
export function unsettled(
  expected: OpenKeys,
  bodies: readonly string[],
  suppressed: ReadonlySet<string> = NONE,
): readonly string[] {
  const ledger = ledgerOf(bodies, suppressed);
  const missing = [...expected].flatMap(([key, severity]) => {
    const known = ledger.get(key);
    const isKnown = known !== undefined && SEVERITIES.indexOf(known) >= SEVERITIES.indexOf(severity);
    return isKnown ? [] : `${key} is ${severity}, the receiver knows ${known}`;
  });
  const gone = [...ledger.keys()].filter((key) => !expected.has(key));
  return [...missing, ...gone.map((key) => `${key} is resolved`)].sort();
}

/** A package-lock in which each package depends on the next one. */
export function lockfileOf(packages: ReadonlyMap<string, string>): string {
  const names = [...packages.keys()];
  const entries = names.map((name, index) => {
    const next = index % 4 === 3 ? undefined : names[index + 1];
    const version = packages.get(name);
    return [
      `node_modules/${name}`,
      { version, ...(next === undefined ? {} : { dependencies: { [next]: '*' } }) },
    ];
  });
  const direct = Object.fromEntries(names.filter((_, index) => index % 4 === 0).map((name) => [name, '*']));
  return JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { dependencies: direct }, ...Object.fromEntries(entries) },
  });
}

/** Rules that compare with the past, which a clean scan does not have: its packages are its baseline. */
const OF_THE_PAST: ReadonlySet<string> = new Set([...DETECTORS.map(({ name }) => name), 'downgraded']);

/** The open findings of a target, without those that a clean scan cannot have. */
export async function openFindingsOf(
  { store }: Pick<Room, 'store'>,
  target: string,
): Promise<readonly string[]> {
  const tracked = (await store.targets.read(target))?.findings ?? [];
  const compared = tracked.filter(({ finding }) => !OF_THE_PAST.has(finding.rule));
  return compared.flatMap(({ status, finding }) => (status === 'open' ? comparable(finding) : [])).sort();
}

/** Without the fingerprint, which a finding keeps when its package is upgraded. */
function comparable({ fingerprint: _, ...finding }: Finding): string {
  return JSON.stringify(finding);
}
