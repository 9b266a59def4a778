import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { isJsonObject, parseJsonObject } from '../syntax/parse-json.ts';
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
    const root = parseJsonObject(text, path, 'a deps.json');
    const { libraries, targets, runtimeTarget } = root as Record<
      'libraries' | 'targets' | 'runtimeTarget',
      unknown
    >;
    if (!isJsonObject(libraries)) {
      throw new LockfileError(
        'wrong-format',
        `${path}: its \`libraries\` are not an object: this is no deps.json of .NET`,
      );
    }
    return { format: NAME, ...readLibraries(libraries, targetOf(targets, runtimeTarget), text) };
  },
};

/** What is used on the platform that the application was built for, by `name/version`; `undefined` when not told. */
function targetOf(targets: unknown, runtimeTarget: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(targets)) return undefined;
  const name = isJsonObject(runtimeTarget) ? runtimeTarget['name'] : runtimeTarget;
  const target =
    typeof name === 'string' && Object.hasOwn(targets, name) ? targets[name] : Object.values(targets)[0];
  return isJsonObject(target) && Object.keys(target).length > 0 ? target : undefined;
}
