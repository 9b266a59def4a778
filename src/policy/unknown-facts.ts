import type { Finding } from '../model/finding.ts';
import type { Inventory } from '../model/inventory.ts';

/**
 * Tells of a remembered finding whether this scan could not find out if it still holds: a lockfile it stood in could not
 * be read, its package's entry could not, or the package could not be looked up. Such a finding is not resolved.
 */
export function unknownFacts(inventory: Inventory): (finding: Finding) => boolean {
  const unread = unreadPaths(inventory);
  const failed = new Set<string>();
  const problems = new Map<string, readonly string[]>();
  for (const { path, packages, problems: entries } of inventory.lockfiles) {
    problems.set(
      path,
      entries.map(({ message }) => message),
    );
    for (const { ecosystem, name, resolution } of packages) {
      if (resolution.outcome === 'failed') failed.add(JSON.stringify([ecosystem, name]));
    }
  }
  return ({ package: { ecosystem, name }, locations }) =>
    failed.has(JSON.stringify([ecosystem, name])) ||
    locations.some(
      ({ path }) => unread(path) || problems.get(path)?.some((message) => names(message, name)) === true,
    );
}

/** Tells of a path whether it is that of an unread file, or lies in an unread folder. */
function unreadPaths({ unread }: Inventory): (path: string) => boolean {
  const paths = new Set(unread.map(({ path }) => path));
  if (paths.has('./')) return () => true;
  const folders = [...paths].filter((path) => path.endsWith('/'));
  return (path) => paths.has(path) || folders.some((folder) => path.startsWith(folder));
}

/** Whether a message names the package: `node_modules/bad` does name `bad`, `badger` does not. */
function names(message: string, name: string): boolean {
  if (name === '') return false;
  for (let at = message.indexOf(name); at >= 0; at = message.indexOf(name, at + 1)) {
    const [before, after] = [message[at - 1] ?? '', message[at + name.length] ?? ''];
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}
