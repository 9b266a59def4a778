/** For sorting lockfiles. */
export function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return left.path < right.path ? -1 : Number(left.path > right.path);
}
