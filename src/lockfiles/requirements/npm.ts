import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import { isObject, type JsonObject } from '../../model/json-object.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { pinsIn, readManifest, requirementsIn } from './package-json.ts';
import type { StatementReader } from './statement.ts';

/** npm's lockfile. Version 1 has the requirements of the target in its manifest only. */
export const npmStatement: StatementReader = ({ text, path, files }) => {
  const root = parseJsonObject(text, path, 'a package-lock');
  const manifest = readManifest(files);
  const { packages, dependencies } = root;
  if (isObject(packages)) {
    return { requirements: requirementsOfPackages(packages), statesDirect: true, pins: pinsIn(manifest) };
  }
  return {
    requirements: [
      ...(manifest === undefined ? [] : requirementsIn(manifest, '')),
      ...requirementsOfTree(dependencies),
    ],
    statesDirect: manifest !== undefined,
    pins: pinsIn(manifest),
  };
};

const INSTALLED = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/;

function requirementsOfPackages(packages: JsonObject): readonly StatedRequirement[] {
  return Object.entries(packages).flatMap(([place, entry]) => {
    if (!isObject(entry) || entry['link'] === true) return [];
    const installed = INSTALLED.exec(place)?.[1];
    if (installed === undefined) return requirementsIn(entry, '', place);
    const { name = installed, version = '', devDependencies: _unused, ...lists } = entry;
    return requirementsIn(lists, `${name}@${version}`);
  });
}

/** The tree of version 1, whose depth is unlimited. */
function requirementsOfTree(dependencies: unknown): readonly StatedRequirement[] {
  const found: StatedRequirement[] = [];
  const open: unknown[] = [dependencies];
  for (const level of open) {
    if (!isObject(level)) continue;
    for (const [name, entry] of Object.entries(level)) {
      if (!isObject(entry)) continue;
      const by = `${name}@${typeof entry['version'] === 'string' ? entry['version'] : ''}`;
      found.push(...requirementsIn({ dependencies: entry['requires'] }, by));
      open.push(entry['dependencies']);
    }
  }
  return found;
}
