import type { FixChange } from '../model/advice/fix.ts';
import type { StatedRequirement } from '../model/advice/project-statement.ts';
import { systemOf } from '../model/lockfile/ecosystem.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
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

/** One move for each folder and name under which the target requires an upgraded package itself. */
function movesOf({ name, from, to, how }: FixChange, project: Project): readonly Move[] {
  if (to === undefined || !isPlainName(name)) return [];
  const versions = project.named(name);
  const locked = versions.find(({ version }) => version === from);
  const directs = versions.filter(({ direct }) => direct === true);
  const isDirect = directs.length > 0;
  const besides = isDirect && locked?.direct !== true ? purposeOf(directs) : undefined;
  const isDev = locked?.groups.includes('dev') ?? false;
  const own = how === 'upgrade' ? requirementsOn(name, from, project) : [];
  // An override of what the target requires itself has to agree with its requirement.
  const isAlone = versions.every(({ version }) => version === from) && locked?.direct !== true;
  const parents = isAlone || locked === undefined ? [] : project.dependents.of(locked.id);
  const ways = own.length > 0 ? own : [{ folder: '', alias: undefined }];
  const distinct = new Map(ways.map(({ folder, alias }) => [`${folder}\n${alias}`, { folder, alias }]));
  return Array.from(distinct.values(), (way) => ({
    name,
    from,
    to,
    ...way,
    isDirect,
    besides,
    isDev,
    parents,
  }));
}

/**
 * The requirements of the target that a locked version fulfils. Of several versions that a requirement permits, managers install the highest; where
 * no requirement is left by that, one that permits the version is enough.
 */
function requirementsOn(name: string, from: string, project: Project): readonly StatedRequirement[] {
  const all = project.requirements('', name);
  const directs = project.named(name).filter(({ direct }) => direct === true);
  const system = systemOf(directs[0]?.ecosystem ?? '');
  if (directs.length < 2 || system === undefined) return all;
  const scheme = schemeOf(system);
  const versions = [from, ...directs.map(({ version }) => version)].filter((one) => scheme.isValid(one));
  if (versions[0] !== from) return all;
  const permitting = all.filter(({ requirement }) => scheme.satisfies(from, requirement) !== false);
  const held = permitting.filter(({ requirement }) =>
    versions.every((one) => scheme.compare(one, from) <= 0 || scheme.satisfies(one, requirement) !== true),
  );
  return [held, permitting].find((some) => some.length > 0) ?? all;
}

function purposeOf(packages: readonly ResolvedPackage[]): Move['besides'] {
  return packages.every(({ groups }) => groups.includes('dev')) ? 'dev' : 'prod';
}

/** A name that a shell or a package manager could take for an option is not printed as a command. */
function isPlainName(name: string): boolean {
  return !name.startsWith('-') && !/\p{Cc}/u.test(name);
}
