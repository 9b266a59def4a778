import { parseFiles } from '../../src/commands/parse.ts';
import { isPrerelease, lineOf } from '../../src/policy/signals/detector.ts';

/**
 * The lines of the npm packages that lockfiles lock, by name: an update in the usual ranges (`^1.2.3`) stays in the line. Throws an error for a
 * lockfile that cannot be read. `names`: only these packages; empty: all.
 */
export async function lockedLines(
  paths: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const wanted = new Set(names);
  const lines = new Map<string, Set<string>>();
  for await (const file of parseFiles({ paths })) {
    if ('error' in file) throw new Error(file.error.message);
    for (const { ecosystem, name, version } of file.lockfile.packages) {
      if (ecosystem !== 'npm' || version === '' || isPrerelease(version)) continue;
      if (wanted.size > 0 && !wanted.has(name)) continue;
      lines.set(name, (lines.get(name) ?? new Set()).add(lineOf(version)));
    }
  }
  return lines;
}
