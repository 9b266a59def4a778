import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Alert } from './alert.ts';
import { type ChangeText, changeText } from './message.ts';

/** Changes that a person reads at once; the others are counted. */
const SHOWN_CHANGES = 25;

/** The changes of one package version in one target. */
export interface PackageGroup {
  /** Id of the target, when it is not the target of the alert. */
  readonly target: string | undefined;
  /** `name@version`. */
  readonly name: string;
  /** `package-lock.json:12` and the number of other places; empty when none is known. */
  readonly place: string;
  /** Who brings it and what to do; of the first change that knows. */
  readonly path: string | undefined;
  readonly todo: string | undefined;
  readonly changes: readonly ChangeText[];
}

/**
 * The changes by package and then by advisory, those of the highest priority first: as many as a person reads at once and as fit into
 * `budget`. `sizeOf` returns the size of a group as its receiver writes it.
 * `leftOut`: number of changes that are counted only.
 */
export function packageGroups(alert: Alert, budget: number, sizeOf: (group: PackageGroup) => number) {
  const groups = new Map<string, PackageGroup>();
  const sizes = new Map<string, number>();
  let [used, shown] = [0, 0];
  for (const change of alert.ranked().slice(0, SHOWN_CHANGES)) {
    const key = JSON.stringify([change.target ?? '', change.finding.package.purl]);
    const group = withChange(groups.get(key), change);
    const size = sizeOf(group);
    const total = used - (sizes.get(key) ?? 0) + size;
    if (total > budget) break;
    groups.set(key, group);
    sizes.set(key, size);
    [used, shown] = [total, shown + 1];
  }
  return { groups: [...groups.values()], leftOut: alert.totals.changes - shown };
}

function withChange(before: PackageGroup | undefined, change: NotifiedChange): PackageGroup {
  const text = changeText(change);
  const { package: of, locations } = change.finding;
  const [first] = locations;
  const rest = locations.length > 1 ? ` and ${locations.length - 1} more` : '';
  const line = first?.line === undefined ? '' : `:${first.line}`;
  return {
    target: text.target,
    name: `${of.name}@${of.version}`,
    place: before?.place ?? (first === undefined ? '' : `${first.path}${line}${rest}`),
    path: before?.path ?? text.path,
    todo: before?.todo ?? text.todo,
    changes: [...(before?.changes ?? []), text],
  };
}

/** The places where the package is locked, and the packages that bring it, as far as they are known. */
export function whereOf({ place, path }: PackageGroup): readonly string[] {
  return [place, path ?? ''].filter((part) => part !== '');
}
