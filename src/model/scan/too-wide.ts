import type { Suppression } from './suppression.ts';

/** Why a suppression that would hide everything of a target, or of a rule, suppresses nothing. */
export const TOO_WIDE =
  'would hide every finding in its scope: state a package or an advisory, or `all: true` if all are meant';

/** Whether it names neither packages nor advisories and does not say that all are meant. Earlier releases stored such suppressions. */
export function isTooWide({
  package: scope,
  advisories,
  all,
}: Pick<Suppression, 'package' | 'advisories' | 'all'>): boolean {
  if (all === true || advisories !== undefined) return false;
  // `pkg:npm/*` and `pkg:maven/*:*` are all packages of an ecosystem.
  return scope === undefined || !/[^*/:@\s]/.test(scope.name);
}
