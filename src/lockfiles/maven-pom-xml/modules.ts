import type { Pom } from './pom.ts';

/** Modules that a pom is looked for; one that needs more of them has packages instead. */
const MAX_SIBLINGS = 20;

/**
 * Where the pom of another module of the project may be, relative to a pom: in a folder beside its own, of the name of the
 * artifact or of that without the project's name before it (`netty-buffer` in `buffer`).
 */
export function modulePlaces(artifactId: string): readonly string[] {
  if (!/^[\w-][\w.-]*$/.test(artifactId)) return [];
  const end = artifactId.indexOf('-');
  const names = end < 0 ? [artifactId] : [artifactId, artifactId.slice(end + 1)];
  return names.filter((name) => name !== '').map((name) => `../${name}/pom.xml`);
}

/** Where the modules that a pom may depend on are: those of its own group. */
export function siblingPlaces({ groupId, parent, dependencies }: Pom): readonly string[] {
  const own = new Set([groupId, parent?.groupId]);
  const siblings = dependencies
    .filter((one) => own.has(one.groupId) || one.groupId?.startsWith('${') === true)
    .flatMap(({ artifactId }) => artifactId ?? []);
  return [...new Set(siblings)].slice(0, MAX_SIBLINGS).flatMap(modulePlaces);
}
