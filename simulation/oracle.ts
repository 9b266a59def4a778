/** Says what receivers must know, from the inputs of a history alone. Shares no code with Lockhound. */

/** Severities of open findings by `target package advisory`. */
export type Open = ReadonlyMap<string, string>;

interface Advisory {
  readonly name: string;
  readonly versions: readonly string[];
  readonly score: number;
}

/** A severity that is not known counts as medium, which is the default of the configuration. */
const RANKS: Readonly<Record<string, number>> = { low: 1, medium: 2, unrated: 2, high: 3, critical: 4 };

function isLess(known: string, severity: string): boolean {
  return (RANKS[known] ?? 0) < (RANKS[severity] ?? 0);
}

export function severityOf(score: number): string {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return 'low';
}

/** The rule about exceptions that are not needed. A target has one exception at a time. */
const STALE_EXCEPTION = 'stale-exception';

interface OpenOptions {
  readonly target?: string;
  readonly until?: number;
}

/** The inputs as they are now: what each target locks, and the advisories. */
export class Model {
  readonly #targets = new Map<string, Map<string, string>>();
  /** Those with an exception that is not needed. */
  readonly #stale = new Set<string>();
  /** Those whose last lockfile could not be read, and those of which any could not. */
  readonly #unread = new Set<string>();
  readonly #everUnread = new Set<string>();
  readonly #advisories = new Map<string, Advisory & { readonly at: number }>();
  readonly #withdrawn: Advisory[] = [];
  /** Until when advisories are suppressed, in virtual milliseconds. */
  readonly #suppressed = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => 0) {
    this.#now = now;
  }

  /** `isStale`: a manifest beside the lockfile has an exception that is not needed. */
  lock(target: string, packages: ReadonlyMap<string, string>, isStale = false): void {
    this.#targets.set(target, new Map(packages));
    this.#unread.delete(target);
    if (isStale) this.#stale.add(target);
    else this.#stale.delete(target);
  }

  /** The lockfile of a target cannot be read: what is known of it stays. */
  misread(target: string): void {
    if (!this.#targets.has(target)) this.#targets.set(target, new Map());
    this.#unread.add(target);
    this.#everUnread.add(target);
  }

  /** Whether the last lockfile of a target could not be read. */
  readonly isUnread = (target: string): boolean => this.#unread.has(target);

  /** Whether a lockfile of a target was ever read. */
  readonly isKnown = (target: string): boolean => (this.#targets.get(target)?.size ?? 0) > 0;

  /** Number of targets. */
  get targets(): number {
    return this.#targets.size;
  }

  publish(id: string, advisory: Advisory, at = 0): void {
    this.#advisories.set(id, { ...advisory, at });
  }

  /** Nothing is told of an advisory until a time. */
  suppress(id: string, until: number): void {
    this.#suppressed.set(id, until);
  }

  /** Whether a target has a finding that is suppressed now. */
  readonly isSuppressedIn = (target: string): boolean =>
    [...this.#suppressed].some(([id, until]) => {
      const { name = '', versions = [] } = this.#advisories.get(id) ?? {};
      return until > this.#now() && versions.includes(this.#targets.get(target)?.get(name) ?? '');
    });

  withdraw(id: string): void {
    const advisory = this.#advisories.get(id);
    if (advisory !== undefined) this.#withdrawn.push(advisory);
    this.#advisories.delete(id);
  }

  /**
   * Whether an alert of a target may have gaps: it has had a lockfile that could not be read, or locks a version of which the service states
   * less than before, so that the loss may be doubted.
   */
  readonly mayDoubt = (target: string): boolean => {
    if (this.#everUnread.has(target)) return true;
    const packages = this.#targets.get(target);
    return this.#withdrawn.some(({ name, versions }) => versions.includes(packages?.get(name) ?? ''));
  };

  /** The findings of all targets, or of one. `until`: only those of advisories that are older. */
  open({ target: only, until = Number.POSITIVE_INFINITY }: OpenOptions = {}): Open {
    const open = new Map<string, string>();
    for (const [target, packages] of this.#targets) {
      if (only !== undefined && target !== only) continue;
      // Exceptions are looked up after scans.
      if (this.#stale.has(target) && until === Number.POSITIVE_INFINITY)
        open.set(`${target} ${STALE_EXCEPTION}`, 'low');
      for (const [id, { name, versions, score, at }] of this.#advisories) {
        if ((this.#suppressed.get(id) ?? 0) > this.#now()) continue;
        const version = packages.get(name);
        if (at <= until && version !== undefined && versions.includes(version))
          open.set(`${target} ${name} ${id}`, severityOf(score));
      }
    }
    return open;
  }

  /** The ids of the advisories about each version that these targets lock, by `name@version`. */
  advisoriesOf(targets: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
    const locked = [...targets].flatMap((target) => [...(this.#targets.get(target) ?? [])]);
    return new Map(
      locked.map(([name, version]) => {
        const about = [...this.#advisories].filter(
          ([, advisory]) => advisory.name === name && advisory.versions.includes(version),
        );
        return [`${name}@${version}`, about.map(([id]) => id)];
      }),
    );
  }
}

export interface SentChange {
  readonly target: string | null;
  readonly transition: string;
  readonly severity: string;
  readonly rule: string;
  readonly package: string;
  readonly version: string;
  readonly advisories: readonly string[];
}

export interface SentAlert {
  readonly target: string;
  readonly reminder: boolean;
  /** Of a reminder: when it was due. */
  readonly date: string;
  readonly changes: readonly SentChange[];
}

/**
 * Transitions that can follow when a finding is unknown, open or resolved. One that was suppressed from the start is learned of when that
 * ends. An issue that was resolved opens anew in another version of its package.
 */
const FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  unknown: ['opened'],
  suppressed: ['reopened'],
  open: ['resolved', 'worsened'],
  resolved: ['reopened', 'opened'],
};

/** What names a finding: the advisory in any version of the package, or else the version and the rule. */
function keyOf(target: string, { rule, package: name, version, advisories }: SentChange): string {
  if (rule === STALE_EXCEPTION) return `${target} ${rule}`;
  return advisories.length === 0
    ? `${target} ${name}@${version} ${rule}`
    : `${target} ${name} ${advisories[0]}`;
}

/** A period whose writes Redis lost, in virtual milliseconds. */
interface LostPeriod {
  readonly from: number;
  readonly to: number;
}

/** The periods whose writes Redis lost. */
export class LostPeriods {
  readonly #periods: LostPeriod[] = [];

  add(period: LostPeriod): void {
    this.#periods.push(period);
  }

  /** Whether what was sent and arrived at these times may be lost. */
  has(sentAt: number, at: number): boolean {
    return this.#periods.some(({ from, to }) => at >= from && sentAt <= to);
  }
}

interface LedgerOptions {
  /** Findings that were suppressed from the start. */
  readonly suppressed?: ReadonlySet<string>;
  readonly lost?: LostPeriods;
  /** Whether one alert has the changes of several scans, those of each finding in their order. */
  readonly isGathered?: boolean;
}

/**
 * What one receiver knows after the deliveries that it accepted. Where Redis loses writes that it had confirmed, Lockhound does not know
 * that it delivered: what was told in that period may be told once more.
 */
export class Ledger {
  readonly #states = new Map<string, 'open' | 'resolved'>();
  /** When each finding was told of last: when the delivery was sent, and when it arrived. */
  readonly #told = new Map<string, { readonly sentAt: number; readonly at: number }>();
  readonly #lost: LostPeriods;
  readonly #open = new Map<string, string>();
  readonly #suppressed: ReadonlySet<string>;
  readonly #isGathered: boolean;
  /** The findings that reminders have listed, by the time at which they were due. */
  readonly #reminders = new Map<string, Set<string>>();
  #changes = 0;

  constructor({ suppressed = new Set(), lost = new LostPeriods(), isGathered = false }: LedgerOptions = {}) {
    this.#suppressed = suppressed;
    this.#lost = lost;
    this.#isGathered = isGathered;
  }

  get changes(): number {
    return this.#changes;
  }

  /** Reads a delivery that arrived at a time. Throws for a change that repeats what is known, or that comes out of order. */
  read(body: string, at: number, sentAt = at): void {
    const alert = JSON.parse(body) as SentAlert;
    if (alert.reminder) {
      this.#remind(alert, at);
      return;
    }
    if (this.#isGathered) {
      this.#applyTogether(alert, { sentAt, at });
      return;
    }
    const changes = alert.changes.toSorted(
      (left, right) => Number(right.transition === 'resolved') - Number(left.transition === 'resolved'),
    );
    for (const change of changes) this.#apply(change.target ?? alert.target, change, { sentAt, at });
  }

  /**
   * Each finding ends as its changes say together, and as the last one says. An issue that moves to another version of its package in one
   * scan has no order in it, and none at all where only its version changes: of such an issue the last change says nothing.
   */
  #applyTogether(alert: SentAlert, times: { readonly sentAt: number; readonly at: number }): void {
    const byKey = Map.groupBy(alert.changes, (change) => keyOf(change.target ?? alert.target, change));
    for (const [key, own] of byKey) {
      const ends = own.filter(({ transition }) => transition === 'resolved').length;
      const begins = own.filter(
        ({ transition }) => transition === 'opened' || transition === 'reopened',
      ).length;
      const together = (this.#open.has(key) ? 1 : 0) + begins - ends;
      const isOneVersion = new Set(own.map(({ version }) => version)).size === 1;
      const isOpen = isOneVersion ? own.at(-1)?.transition !== 'resolved' : together > 0;
      if (together !== (isOpen ? 1 : 0) && !this.#mayRepeat(key))
        throw new Error(`told twice or not in order: ${begins} beginnings and ${ends} ends of ${key}`);
      this.#told.set(key, times);
      this.#changes += own.length;
      const last = own.findLast(({ transition }) => transition !== 'resolved');
      if (!isOpen) this.#open.delete(key);
      else if (last !== undefined) this.#open.set(key, last.severity);
    }
  }

  #apply(target: string, change: SentChange, times: { readonly sentAt: number; readonly at: number }): void {
    const { transition, severity } = change;
    const key = keyOf(target, change);
    const state = this.#states.get(key) ?? (this.#suppressed.has(key) ? 'suppressed' : 'unknown');
    const isExpected = (FOLLOWING[state] ?? []).includes(transition);
    if (!isExpected && this.#isOvertaken(key, times)) return;
    if (!isExpected && !this.#mayRepeat(key))
      throw new Error(`told twice or out of order: ${transition} of ${key}, which is ${state}`);
    this.#told.set(key, times);
    this.#changes += 1;
    if (transition === 'resolved') {
      this.#states.set(key, 'resolved');
      this.#open.delete(key);
    } else {
      this.#states.set(key, 'open');
      this.#open.set(key, severity);
    }
  }

  /** Each shard has a reminder of its own. One that Redis forgot may be sent again, with what is open then. */
  #remind({ date, target, changes }: SentAlert, at: number): void {
    const listed = this.#reminders.get(date) ?? new Set();
    this.#reminders.set(date, listed);
    for (const change of changes) {
      const key = keyOf(change.target ?? target, change);
      if (listed.has(key) && !this.#lost.has(Date.parse(date), at))
        throw new Error(`two reminders of ${date} list ${key}`);
      listed.add(key);
    }
  }

  /** Where the reminder that was due at a time (ISO 8601) says something else than what was open. A suppression may end just then. */
  wrongReminder(date: string, expected: Open): readonly string[] {
    const listed = this.#reminders.get(date) ?? new Set();
    const isKnown = (key: string): boolean => !this.#suppressed.has(key);
    const missing = [...expected.keys()].filter((key) => isKnown(key) && !listed.has(key));
    const closed = [...listed].filter((key) => isKnown(key) && !expected.has(key));
    return [
      ...missing.map((key) => `the reminder of ${date} lacks ${key}`),
      ...closed.map((key) => `the reminder of ${date} lists ${key}`),
    ];
  }

  /** Whether Redis lost the verdict of a delivery while it was under way, so that another scan was told of before it arrived. */
  #isOvertaken(key: string, { sentAt, at }: { readonly sentAt: number; readonly at: number }): boolean {
    const told = this.#told.get(key);
    return told !== undefined && sentAt < told.sentAt && this.#lost.has(sentAt, at);
  }

  #mayRepeat(key: string): boolean {
    const told = this.#told.get(key);
    return told !== undefined && this.#lost.has(told.sentAt, told.at);
  }

  /** What the receiver does not know, or knows wrongly. */
  differences(expected: Open): readonly string[] {
    const wrong = [...this.missing(expected)];
    // Lockhound does not know of what was told while Redis lost its writes, until it is told again.
    for (const key of this.#open.keys())
      if (!expected.has(key) && !this.#mayRepeat(key)) wrong.push(`lost: ${key} is resolved`);
    return wrong;
  }

  /** What the receiver does not know of open findings. A severity that was lowered is not told. */
  missing(expected: Open): readonly string[] {
    const wrong: string[] = [];
    for (const [key, severity] of expected) {
      const known = this.#open.get(key);
      if (known === undefined || isLess(known, severity))
        wrong.push(`lost: ${key} is ${severity}, the receiver knows ${known ?? 'nothing'}`);
    }
    return wrong;
  }
}
