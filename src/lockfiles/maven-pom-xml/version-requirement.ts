/** One version between brackets: `[1.0]` allows no other, and is no range. */
const ONE = /^\[\s*([^[\](),]+?)\s*\]$/;
/** Maven's ranges, and the words that it takes for the newest version there is. */
const MANY = /^[[(]|^(?:LATEST|RELEASE)$/;

/** The version that a requirement names; empty when it allows several. */
export function exactVersion(requirement: string): string {
  const one = ONE.exec(requirement)?.[1];
  if (one !== undefined) return one;
  return MANY.test(requirement) ? '' : requirement;
}
