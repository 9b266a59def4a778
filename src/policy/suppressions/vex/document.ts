import type { Suppression } from '../../../model/scan/suppression.ts';
import type { Issue, StatementTime } from './issue.ts';

/** More packages and targets than these are not named by what people write, and would be compared with every finding. */
export const MAX_NAMED = 100_000;

/** Other names of one vulnerability. */
export const MAX_ALIASES = 100;

const TOO_LARGE = `names more than ${MAX_NAMED} packages or targets`;

/** Characters of a document's id, which begins the ids of its suppressions. */
const MAX_ID = 300;

/** The statements of a VEX document about findings. */
export interface VexDocument {
  /** Identifies the document: another version of it replaces what this one suppresses. */
  readonly id: string;
  /** By which versions of the document are compared. */
  readonly issue: Issue;
  /** Some suppress findings, and others overrule these (`overrules`). */
  readonly suppressions: readonly Suppression[];
  /** Statements that are refused, and why. */
  readonly notApplied: readonly NotApplied[];
}

export interface NotApplied {
  /** `#` and its place in the document, from 0. */
  readonly statement: string;
  readonly reason: string;
}

/** The packages and targets that a statement is about, or why they cannot be known. */
export type Scope = string | Pick<Suppression, 'target' | 'labels' | 'package'>;

/** A claim is what a statement says of every scope that it names. */
export interface Claim {
  /** `#` and its place in the document, from 0. */
  readonly statement: string;
  /** Whether the findings count. */
  readonly overrules: boolean;
  readonly reason: string;
  /** All names of the vulnerability that the statement has. */
  readonly names: readonly string[];
  readonly time: StatementTime;
}

/** Statements and their scopes while a document is read. */
export function createVexDocument(name: string, author: string | undefined, issue: Issue) {
  const id = name.slice(0, MAX_ID);
  const claims: { readonly claim: Claim; readonly scope: Exclude<Scope, string> }[] = [];
  const notApplied: NotApplied[] = [];
  let isTooLarge = false;
  const refuse = (statement: string, reason: string): void => {
    const last = notApplied.at(-1);
    if (last?.statement !== statement || last.reason !== reason) notApplied.push({ statement, reason });
  };
  return {
    refuse,
    /** A claim whose time cannot be known suppresses nothing, and overrules every other one. */
    add(claim: Claim, scopes: readonly Scope[]): void {
      const { statement, time, overrules } = claim;
      if (scopes.length === 0) return;
      if (claims.length + notApplied.length + scopes.length > MAX_NAMED) isTooLarge = true;
      if (isTooLarge) return;
      if (typeof time === 'string') refuse(statement, overrules ? `${time}: it counts as the latest` : time);
      if (typeof time === 'string' && !overrules) return;
      for (const scope of scopes) {
        if (typeof scope === 'string') refuse(statement, scope);
        else claims.push({ claim, scope });
      }
    },
    /** The reason as a string when the document is too large. */
    result(): VexDocument | string {
      if (isTooLarge) return TOO_LARGE;
      const allNames = joinNames(claims.map(({ claim }) => claim.names));
      const suppressions = claims.map(({ claim, scope }, index): Suppression => {
        const { statement, reason, overrules, names, time } = claim;
        return {
          id: `vex ${id} ${statement} ${index}`,
          source: 'vex',
          reason: reason.slice(0, 1_000),
          ...(author === undefined || author === '' ? {} : { author: author.slice(0, 200) }),
          advisories: [...(overrules ? allNames(names) : names)],
          ...(typeof time === 'string' || time.at === undefined ? {} : { statedAt: time.at }),
          ...(overrules ? { overrules } : {}),
          ...scope,
        };
      });
      return { id, issue, suppressions, notApplied };
    },
  };
}

/** Names that a document joins to one vulnerability. More than these are a mistake, and are not joined further. */
const MAX_JOINED = 1_000;

/**
 * Joins lists that share a name, without regard to case: names of one vulnerability. Returns a function that returns all names of the
 * vulnerability that a list names.
 */
export function joinNames(
  lists: readonly (readonly string[])[],
): (names: readonly string[]) => readonly string[] {
  const groups = new Map<string, Set<string>>();
  for (const names of new Set(lists)) {
    const found = new Set(names.flatMap((name) => groups.get(name.toUpperCase()) ?? []));
    const [group = new Set<string>(), ...others] = [...found].sort((left, right) => right.size - left.size);
    for (const name of [...names, ...others.flatMap((other) => [...other])]) {
      if (group.size >= MAX_JOINED) break;
      group.add(name);
      groups.set(name.toUpperCase(), group);
    }
  }
  return (names) => {
    const found = names.flatMap((name) => [...(groups.get(name.toUpperCase()) ?? [])]);
    return [...new Set([...names, ...found])];
  };
}
