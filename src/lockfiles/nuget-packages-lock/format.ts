import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../syntax/parse-json.ts';
import { readFrameworks } from './frameworks.ts';

const NAME = 'nuget-packages-lock';

/** NuGet's lockfile, version 1 and, with central package management, 2; what is locked stands by target framework. */
export const nugetPackagesLock: Format = {
  name: NAME,
  title: 'NuGet packages.lock.json (version 1, 2)',
  ecosystem: 'nuget',
  fileNames: ['packages.lock.json'],
  facts: { edges: true, groups: false, integrity: true, lines: true },
  recognises: (head) => /^\s*\{\s*"version"\s*:\s*[12]\s*,\s*"dependencies"\s*:\s*\{/.test(head),
  read({ path, text }) {
    const root = parseJsonObject(text, path, 'a packages.lock.json');
    return { format: NAME, ...readFrameworks(frameworksOf(root, path), text) };
  },
};

function frameworksOf({ version, dependencies }: JsonObject, path: string): JsonObject {
  if (version !== undefined && version !== 1 && version !== 2) {
    throw new LockfileError(
      'unsupported-version',
      `${path}: version ${JSON.stringify(version).slice(0, 40)} of packages.lock.json is neither 1 nor 2, which are read`,
    );
  }
  if (isJsonObject(dependencies)) return dependencies;
  // A project without dependencies.
  if (version !== undefined && (dependencies === undefined || dependencies === null)) return {};
  throw new LockfileError(
    'wrong-format',
    `${path}: its \`dependencies\` are not an object of target frameworks: this is no packages.lock.json`,
  );
}
