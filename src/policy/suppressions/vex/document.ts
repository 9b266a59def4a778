import type { Suppression } from '../../../model/scan/suppression.ts';

/** What a VEX document says of findings. */
export interface VexDocument {
  /** Identifies the document: another version of it replaces what this one suppresses. */
  readonly id: string;
  readonly suppressions: readonly Suppression[];
  /** Statements that suppress nothing although they say that something is not affected, and why. */
  readonly notApplied: readonly { readonly statement: string; readonly reason: string }[];
}

/** Statements and their scopes while a document is read. */
export function createVexDocument(id: string, author: string | undefined) {
  const suppressions: Suppression[] = [];
  const notApplied: { readonly statement: string; readonly reason: string }[] = [];
  return {
    /** `scope`: why it is not applied, or what it suppresses. */
    add(
      statement: string,
      { reason, advisories }: { readonly reason: string; readonly advisories: readonly string[] },
      scope: string | Pick<Suppression, 'target' | 'labels' | 'package'>,
    ): void {
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
    result: (): VexDocument => ({ id, suppressions, notApplied }),
  };
}
