import { isObject } from '../../model/json-object.ts';
import { parseBunLock } from '../bun-lock/format.ts';
import { pinsOf, requirementsIn } from './package-json.ts';
import type { StatementReader } from './statement.ts';

/** bun.lock states the requirements of its workspaces and of all packages, and the overrides. */
export const bunStatement: StatementReader = ({ text, path }) => {
  const { root } = parseBunLock({ text, path });
  const { workspaces, packages, overrides } = root;
  const own = Object.entries(isObject(workspaces) ? workspaces : {});
  const locked = Object.values(isObject(packages) ? packages : {});
  return {
    requirements: [
      ...own.flatMap(([folder, entry]) => (isObject(entry) ? requirementsIn(entry, '', folder) : [])),
      ...locked.flatMap((entry) => {
        if (!Array.isArray(entry) || typeof entry[0] !== 'string') return [];
        return requirementsIn(entry.find(isObject) ?? {}, entry[0]);
      }),
    ],
    statesDirect: true,
    pins: pinsOf(overrides, `${path} overrides`),
  };
};
