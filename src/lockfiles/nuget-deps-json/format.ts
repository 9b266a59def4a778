import type { Lockfile } from '../../model/scan/lockfile.ts';
import type { Format } from '../format.ts';
import { isJsonObject, parseJson } from '../syntax/parse-json.ts';
import { readLibraries } from './libraries.ts';

const NAME = 'nuget-deps-json';

/** What a built .NET application says it needs at run time. */
export const nugetDepsJson: Format = {
  name: NAME,
  title: '.NET application dependencies (*.deps.json)',
  ecosystem: 'nuget',
  fileNames: ['*.deps.json'],
  facts: { edges: true, groups: false, integrity: true, lines: true },
  recognises: (head) => /^\s*\{\s*"runtimeTarget"\s*:/.test(head),
  read({ path, text }) {
    const root = parseJson(text, path, 'a deps.json');
    const { libraries, targets, runtimeTarget } = (isJsonObject(root) ? root : {}) as Record<
      'libraries' | 'targets' | 'runtimeTarget',
      unknown
    >;
    if (!isJsonObject(libraries)) return withoutLibraries(isJsonObject(targets));
    return { format: NAME, ...readLibraries(libraries, targetOf(targets, runtimeTarget), text) };
  },
};

/** Others than .NET give their files this ending, too: such a file is nothing to stop at. */
function withoutLibraries(isDotnet: boolean): Lockfile {
  const message = isDotnet
    ? 'it has no `libraries`: which of its `targets` are packages cannot be told'
    : 'it has no `libraries`: this is no deps.json of .NET';
  return { format: NAME, packages: [], problems: [{ kind: 'unread', line: 1, message }] };
}

/** What is used on the platform that the application was built for, by `name/version`; `undefined` when not told. */
function targetOf(targets: unknown, runtimeTarget: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(targets)) return undefined;
  const name = isJsonObject(runtimeTarget) ? runtimeTarget['name'] : runtimeTarget;
  const target =
    typeof name === 'string' && Object.hasOwn(targets, name) ? targets[name] : Object.values(targets)[0];
  return isJsonObject(target) && Object.keys(target).length > 0 ? target : undefined;
}
