import type { FixChange } from '../model/advice/fix.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import type { Move } from './managers/manager.ts';
import type { Project } from './project.ts';

/**
 * The commands that make changes to a lockfile: upgrades, then re-locks of what they leave locked, then overrides. A package that is locked again or
 * overridden for others is upgraded last: a re-lock would raise it above the advised version, and npm ignores an override for a version that it has
 * placed elsewhere before.
 */
export function commandsFor(changes: readonly FixChange[], project: Project): readonly string[] {
  const { manager } = project;
  const moves = (how: FixChange['how']) =>
    changes.filter((change) => change.how === how).flatMap((change) => movesOf(change, project));
  const [upgrades, relocks, overrides] = [moves('upgrade'), moves('re-lock'), moves('override')];
  const isWorkspace = project.statement.requirements.some(({ folder }) => folder !== '');
  const others = new Set([...relocks, ...overrides].map(({ name }) => name));
  const [last, first] = [upgrades.filter(isLast), upgrades.filter((one) => !isLast(one))];
  return [
    ...(first.length > 0 ? manager.upgrade(first) : []),
    ...(relocks.length > 0 ? manager.relock(relocks, isWorkspace) : []),
    ...(overrides.length > 0 ? (manager.override?.(overrides, project.statement) ?? []) : []),
    ...(last.length > 0 ? manager.upgrade(last) : []),
  ];

  function isLast({ name }: Move): boolean {
    return others.has(name);
  }
}

/** One move for each folder of the target that requires an upgraded package itself. */
function movesOf({ name, from, to, how }: FixChange, project: Project): readonly Move[] {
  if (to === undefined || !isPlainName(name)) return [];
  const versions = project.named(name);
  const locked = versions.find(({ version }) => version === from);
  const directs = versions.filter(({ direct }) => direct === true);
  const isDirect = directs.length > 0;
  const besides = isDirect && locked?.direct !== true ? purposeOf(directs) : undefined;
  const isDev = locked?.groups.includes('dev') ?? false;
  const own = how === 'upgrade' ? project.requirements('', name) : [];
  const folders = own.length > 0 ? new Set(own.map(({ folder }) => folder)) : [''];
  // An override of what the target requires itself has to agree with its requirement.
  const isAlone = versions.every(({ version }) => version === from) && locked?.direct !== true;
  const parents = isAlone || locked === undefined ? [] : project.dependents.of(locked.id);
  return Array.from(folders, (folder) => ({ name, from, to, folder, isDirect, besides, isDev, parents }));
}

function purposeOf(packages: readonly ResolvedPackage[]): Move['besides'] {
  return packages.every(({ groups }) => groups.includes('dev')) ? 'dev' : 'prod';
}

/** A name that a shell or a package manager could take for an option is not printed as a command. */
function isPlainName(name: string): boolean {
  return !name.startsWith('-') && !/\p{Cc}/u.test(name);
}
