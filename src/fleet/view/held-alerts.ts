import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import type { OpenAlert } from '../../model/fleet/fleet-finding.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { countedSeverity, RATED_SEVERITIES } from '../../model/scan/severity.ts';
import { compareFindingOrder, compareText } from '../../policy/finding-order.ts';
import { withExploits } from '../../policy/priority/exploits.ts';
import { withPriority } from '../../policy/priority/priority.ts';
import { refsIn, type StoredAlerts } from '../../store/fleet/open-alerts.ts';
import { ALERT, HOLDER, RANK, SEARCHED, type ViewedFinding, type ViewedTarget } from './viewed-target.ts';

/** Open alerts with the targets that have them. */
export type HeldAlerts = ReturnType<typeof createHeldAlerts>;

interface Held {
  readonly ref: string;
  readonly alert: OpenAlert;
  readonly holders: ViewedTarget[];
}

export function createHeldAlerts() {
  const byRef = new Map<string, Held>();
  return {
    /** Adds the open alerts of a target. Returns false where one is not known: the state has to be read. */
    add(target: ViewedTarget, { alerts, targets }: StoredAlerts): boolean {
      const text = targets.get(target.target);
      if (text === undefined) return false;
      const own: Held[] = [];
      for (const ref of refsIn(text)) {
        const alert = alerts.get(ref);
        if (alert === undefined) return false;
        const held = byRef.get(ref) ?? { ref, alert, holders: [] };
        byRef.set(ref, held);
        own.push(held);
      }
      for (const { holders } of own) holders.push(target);
      return true;
    },
    /** All of them as findings, in the order of severity. Only different alerts are compared. */
    list(exploits: ExploitData): readonly ViewedFinding[] {
      const ranked = Array.from(byRef.values(), ({ ref, alert, holders }) => {
        holders.sort((left, right) => compareText(left.target, right.target));
        const finding = withPriority(withExploits({ ...alert, fingerprint: ref, locations: [] }, exploits));
        return { finding, ref, holders };
      }).sort((left, right) => compareFindingOrder(left.finding, right.finding));
      const list: ViewedFinding[] = [];
      for (let from = 0; from < ranked.length; ) {
        const first = ranked[from]?.finding as Finding;
        let to = from + 1;
        while (to < ranked.length && compareFindingOrder((ranked[to] as Ranked).finding, first) === 0)
          to += 1;
        const equal = ranked.slice(from, to).flatMap(findingsOf);
        if (to > from + 1) equal.sort((left, right) => compareText(left.target, right.target));
        for (const one of equal) list.push(one);
        from = to;
      }
      return list;
    },
  };
}

interface Ranked {
  readonly finding: Finding;
  readonly ref: string;
  readonly holders: readonly ViewedTarget[];
}

function findingsOf({ finding, ref, holders }: Ranked): readonly ViewedFinding[] {
  const rank = RATED_SEVERITIES.indexOf(countedSeverity(finding));
  return holders.map((holder) => new ShortFinding(holder, finding, ref, rank));
}

/** A finding of hundreds of thousands: most of what it has is that of its target and of its alert. */
class ShortFinding implements ViewedFinding {
  readonly [HOLDER]: ViewedTarget;
  readonly finding: Finding;
  readonly [ALERT]: string;
  readonly [RANK]: number;

  constructor(holder: ViewedTarget, finding: Finding, ref: string, rank: number) {
    this[HOLDER] = holder;
    this.finding = finding;
    this[ALERT] = ref;
    this[RANK] = rank;
  }

  get target(): string {
    return this[HOLDER].target;
  }
  get labels(): ViewedTarget['labels'] {
    return this[HOLDER].labels;
  }
  get status(): 'open' {
    return 'open';
  }
  get openedAt(): string {
    return '';
  }
  get changedAt(): string {
    return '';
  }
  get places(): number {
    return 0;
  }
  get [SEARCHED](): string {
    return '';
  }
}
