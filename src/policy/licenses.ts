import type { Info } from 'spdx-expression-parse';
import { loadPackage } from '../model/lazily.ts';
import type { LicensePolicy } from '../model/scan/policy.ts';
import { matchesWildcard } from '../model/wildcard.ts';

/** The fault of the licences of a version. */
export type LicenseFault =
  /** Denied, or not in the list of those that are allowed: the licences that cannot be chosen. */
  | { readonly kind: 'denied' | 'not-allowed'; readonly licenses: readonly string[] }
  /** `non-standard`: the licence is no SPDX expression. `unknown`: none is known. */
  | { readonly kind: 'non-standard' | 'unknown' };

/** The licence that the index states where it cannot read one. */
const NON_STANDARD = 'non-standard';
/** A parser has no limit of depth; no real expression is as long. */
const MAX_LENGTH = 2_000;

/**
 * Compares the SPDX expressions of a version, which apply together, with lists of licences. Of `A OR B` one has to be permitted, of
 * `A AND B` both. What is unknown is a fault where there is a list of allowed licences. `undefined`: nothing is wrong.
 */
export function licenseFault(stated: readonly string[], policy: LicensePolicy): LicenseFault | undefined {
  const { allow, deny } = policy;
  if (allow === undefined && deny.length === 0) return undefined;
  if (stated.length === 0) return allow === undefined ? undefined : { kind: 'unknown' };
  const faults = stated.flatMap((text) => faultOf(text, policy) ?? []);
  return faults.find(({ kind }) => kind === 'denied') ?? faults[0];
}

function faultOf(text: string, policy: LicensePolicy): LicenseFault | undefined {
  const { allow, deny } = policy;
  const lists = (list: readonly string[]) => list.some((pattern) => matchesWildcard(pattern, text));
  const expression = parsed(text);
  if (expression === undefined) {
    if (lists(deny)) return { kind: 'denied', licenses: [text] };
    return allow === undefined || lists(allow) ? undefined : { kind: NON_STANDARD };
  }
  const refused = refusedIn(expression, policy);
  if (refused.length === 0) return undefined;
  const isDenied = refused.some((name) => isListed(name, deny) && !isNamed(name, allow));
  return { kind: isDenied ? 'denied' : 'not-allowed', licenses: [...new Set(refused)] };
}

/** The licences because of which an expression is refused; empty where it is permitted. */
function refusedIn(expression: Info, policy: LicensePolicy): readonly string[] {
  if ('conjunction' in expression) {
    const [left, right] = [refusedIn(expression.left, policy), refusedIn(expression.right, policy)];
    if (expression.conjunction === 'or' && (left.length === 0 || right.length === 0)) return [];
    return [...left, ...right];
  }
  const { license, plus, exception } = expression;
  const name = `${license}${plus === true ? '+' : ''}${exception === undefined ? '' : ` WITH ${exception}`}`;
  const { allow, deny } = policy;
  if (isNamed(name, allow)) return [];
  const isRefused = isListed(name, deny) || (allow !== undefined && !isListed(name, allow));
  return isRefused ? [name] : [];
}

/** A licence with an exception is listed with it or without it. */
function isListed(name: string, list: readonly string[]): boolean {
  const [license = ''] = name.split(' WITH ');
  return list.some((pattern) => matchesWildcard(pattern, name) || matchesWildcard(pattern, license));
}

/** Whether a licence is allowed by its own name, which outweighs a pattern that denies it. */
function isNamed(name: string, allow: readonly string[] = []): boolean {
  return allow.includes(name);
}

function parsed(text: string): Info | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parse: (source: string) => Info = loadPackage('spdx-expression-parse');
  try {
    return parse(text);
  } catch {
    // The only error of the parser: the text is no expression.
    return undefined;
  }
}
