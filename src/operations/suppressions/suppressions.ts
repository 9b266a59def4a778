import { defined } from '../../model/defined.ts';
import type { ListedSuppression, StoredSuppression } from '../../model/scan/suppression.ts';
import type { Principal } from '../principal.ts';

/** Whether a suppression is about one target, for which `sees` is true. */
export function isOfOneTarget(target: string | undefined, sees: (target: string) => boolean): boolean {
  return target !== undefined && !target.includes('*') && sees(target);
}

/** A suppression as the API shows it. */
export function shownSuppression(
  { suppression, addedAt, removed }: ShownParts,
  { findings, expired }: Pick<ListedSuppression, 'findings' | 'expired'>,
): ListedSuppression {
  return {
    ...suppression,
    findings,
    expired,
    ...defined({ addedAt, removed }),
  };
}

type ShownParts = Pick<StoredSuppression, 'suppression'> & Partial<StoredSuppression>;

/** Who decides, for the record. A caller over the network may name another person, and is recorded too. */
export function authorOf({ name, via }: Principal, stated: string | undefined): string {
  if (stated === undefined) return name;
  return via === 'machine' ? stated : `${stated}, by ${name}`;
}
