import { posix } from 'node:path';
import type { StatedPin, StatedRequirement } from '../../model/advice/project-statement.ts';
import { isObject, type JsonObject } from '../../model/json-object.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { requiredName } from '../yarn-lock/descriptor.ts';
import { textsOf } from './statement.ts';

export const MANIFEST = 'package.json';

const LISTS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

/** The manifest beside a lockfile, or in a folder below it; `undefined` without one. Throws `LockfileError`. */
export function readManifest(files: ReadonlyMap<string, string>, folder = ''): JsonObject | undefined {
  const name = posix.join(folder, MANIFEST);
  const text = files.get(name);
  return text === undefined ? undefined : parseJsonObject(text, name, 'a package.json');
}

/** The requirements in the lists of a manifest, or of an entry of a lockfile, which has the same lists. */
export function requirementsIn(manifest: JsonObject, by: string, folder = ''): readonly StatedRequirement[] {
  return LISTS.flatMap((list) =>
    textsOf(manifest[list]).map(([key, requirement]) => {
      const isPeer = list === 'peerDependencies' ? { isPeer: true } : {};
      return { by, folder, ...requiredName(key, requirement), requirement, ...isPeer };
    }),
  );
}

/** The pins in a manifest: npm's and Bun's `overrides`, Yarn's `resolutions`, pnpm's `pnpm.overrides`. */
export function pinsIn(manifest: JsonObject | undefined): readonly StatedPin[] {
  const pnpm = manifest?.['pnpm'];
  return [
    ...pinsOf(manifest?.['overrides'], `${MANIFEST} overrides`),
    ...pinsOf(manifest?.['resolutions'], `${MANIFEST} resolutions`),
    ...pinsOf(isObject(pnpm) ? pnpm['overrides'] : undefined, `${MANIFEST} pnpm.overrides`),
  ];
}

/** Members such as `name`, `name@^1`, `parent/name`, `parent>name`, `**` + `/name`; nested ones name the parent. */
export function pinsOf(overrides: unknown, where: string): readonly StatedPin[] {
  if (!isObject(overrides)) return [];
  return Object.entries(overrides).flatMap(([key, value]) => {
    if (isObject(value)) return nestedPins(key, value, where);
    if (typeof value !== 'string') return [];
    const name = pinnedName(key);
    return [{ name, requirement: value, where, everywhere: name === key || key === `**/${name}` }];
  });
}

function nestedPins(key: string, value: JsonObject, where: string): readonly StatedPin[] {
  return Object.entries(value).flatMap(([name, requirement]) => {
    if (isObject(requirement)) return nestedPins(name, requirement, where);
    if (typeof requirement !== 'string') return [];
    return [{ name: pinnedName(name === '.' ? key : name), requirement, where, everywhere: name === '.' }];
  });
}

/** The name of the package that a selector ends with. */
export function pinnedName(selector: string): string {
  // As pnpm reads them: another `>` begins a range.
  const [own = '', before = ''] = (selector.split(/(?<=[^ |@])>/).at(-1) ?? '').split('/').reverse();
  const [name = ''] = own.split('@', 1);
  if (name === '') return selector;
  // What is before the slash may be another package with its range: `a@npm:^1/b`.
  return before.startsWith('@') ? `${before}/${name}` : name;
}
