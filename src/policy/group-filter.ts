/** Groups of packages that are installed for developing and testing alone. */
export const DEVELOPMENT_GROUPS: ReadonlySet<string> = new Set(['dev', 'test', 'build']);

/** Whether a package is installed under these conditions alone. Without groups, a package is always installed. */
export function isOnlyIn(groups: readonly string[], names: ReadonlySet<string>): boolean {
  return groups.length > 0 && groups.every((group) => names.has(group));
}
