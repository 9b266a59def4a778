import type { Suppression } from '../../../model/scan/suppression.ts';

/** More packages and targets than these are not named by what people write, and would be compared with every finding. */
export const MAX_NAMED = 100_000;

/** Other names of one vulnerability. */
export const MAX_ALIASES = 100;

export const TOO_LARGE = `names more than ${MAX_NAMED} packages or targets`;

/** What a VEX document says of findings. */
export interface VexDocument {
  /** Identifies the document: another version of it replaces what this one suppresses. */
  readonly id: string;
  readonly suppressions: readonly Suppression[];
  /** Statements that suppress nothing although they say that something is not affected, and why. */
  readonly notApplied: readonly NotApplied[];
}

export interface NotApplied {
  /** `#` and its place in the document, from 0. */
  readonly statement: string;
  readonly reason: string;
}

/** Statements and their scopes while a document is read. */
export function createVexDocument(id: string, author: string | undefined) {
  const suppressions: Suppression[] = [];
  const notApplied: NotApplied[] = [];
  let isTooLarge = false;
  return {
    /** `scope`: why it is not applied, or what it suppresses. */
    add(
      statement: string,
      { reason, advisories }: { readonly reason: string; readonly advisories: readonly string[] },
      scope: string | Pick<Suppression, 'target' | 'labels' | 'package'>,
    ): void {
      if (suppressions.length + notApplied.length >= MAX_NAMED) isTooLarge = true;
      if (isTooLarge) return;
      if (typeof scope === 'string') {
        notApplied.push({ statement, reason: scope });
        return;
      }
      suppressions.push({
        id: `vex ${id} ${statement} ${suppressions.length}`.slice(0, 400),
        source: 'vex',
        reason: reason.slice(0, 1_000),
        ...(author === undefined || author === '' ? {} : { author: author.slice(0, 200) }),
        advisories: [...advisories],
        ...scope,
      });
    },
    refuse: (statement: string, reason: string) => void notApplied.push({ statement, reason }),
    /** The reason as a string when the document is too large. */
    result: (): VexDocument | string => (isTooLarge ? TOO_LARGE : { id, suppressions, notApplied }),
  };
}
