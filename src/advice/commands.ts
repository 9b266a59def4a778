import type { FixChange } from '../model/advice/fix.ts';
import type { Move } from './managers/manager.ts';
import type { Project } from './project.ts';

/** The commands that make changes to a lockfile: upgrades, then re-locks, then overrides. */
export function commandsFor(changes: readonly FixChange[], project: Project): readonly string[] {
  const { manager } = project;
  const moves = (how: FixChange['how']) =>
    changes.filter((change) => change.how === how).flatMap((change) => movesOf(change, project));
  const [upgrades, relocks, overrides] = [moves('upgrade'), moves('re-lock'), moves('override')];
  return [
    ...(upgrades.length > 0 ? manager.upgrade(upgrades) : []),
    ...(relocks.length > 0 ? manager.relock(relocks) : []),
    ...(overrides.length > 0 ? (manager.override?.(overrides) ?? []) : []),
  ];
}

/** One move for each folder of the target that requires an upgraded package itself. */
function movesOf({ name, from, to, how }: FixChange, project: Project): readonly Move[] {
  if (to === undefined || !isPlainName(name)) return [];
  const versions = project.named(name);
  const locked = versions.find(({ version }) => version === from);
  const isDev = locked?.groups.includes('dev') ?? false;
  const own = how === 'upgrade' ? project.requirements('', name) : [];
  const folders = own.length > 0 ? new Set(own.map(({ folder }) => folder)) : [''];
  const isAlone = versions.every(({ version }) => version === from);
  const parents =
    isAlone || locked === undefined ? [] : project.dependents.of(locked.id).map((one) => one.name);
  return Array.from(folders, (folder) => ({ name, from, to, folder, isDev, parents: [...new Set(parents)] }));
}

/** A name that a shell or a package manager could take for an option is not printed as a command. */
function isPlainName(name: string): boolean {
  return !name.startsWith('-') && !/\p{Cc}/u.test(name);
}
