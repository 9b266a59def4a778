import type { Lockfile } from './lockfile.ts';

/** Whether the list of packages is complete. When it is, the file contains no package that is not in the list. */
export function isReadWhole({ problems }: Pick<Lockfile, 'problems'>): boolean {
  return problems.every(({ kind }) => kind === 'unclear');
}
