import { lineNodes } from '../syntax/json-lines.ts';
import { isJsonObject } from '../syntax/parse-json.ts';
import { textsIn } from '../syntax/parse-toml.ts';
import {
  type BunDocument,
  type BunEntry,
  type BunFault,
  type BunWorkspace,
  emptyEntry,
  isIntegrity,
} from './document.ts';
import { parseTolerant } from './parse-tolerant.ts';

/** Reads a bun.lock in any layout. Throws `LockfileError`. */
export function readGeneral(source: string, path: string): BunDocument {
  const { root, text } = parseTolerant(source, path);
  const packages = isJsonObject(root['packages']) ? root['packages'] : {};
  const lines = lineNodes(text, { members: { packages: { each: {} } } })?.members?.get('packages')?.members;
  return {
    lockfileVersion: root['lockfileVersion'],
    workspaces: readWorkspaces(root['workspaces']),
    packages: Object.entries(packages).map(([key, stated]) => readEntry(key, lines?.get(key)?.line, stated)),
  };
}

/**
 * Reads `[id, registry, details, integrity]`, `[id, details, tag]` or `[id]`. The registry and the tag are strings, the details
 * are an object.
 */
function readEntry(key: string, line: number | undefined, stated: unknown): BunEntry | BunFault {
  if (!Array.isArray(stated)) return { key, line, fault: 'is not a list' };
  const [id, registry] = stated;
  if (typeof id !== 'string') return { key, line, fault: 'does not begin with its name and version' };
  const details = stated.find(isJsonObject) ?? {};
  return {
    ...emptyEntry(key, line),
    id,
    registry: typeof registry === 'string' ? registry : '',
    integrity: stated.findLast((one) => typeof one === 'string' && isIntegrity(one)),
    dependencies: namesIn(details['dependencies']),
    optionalDependencies: namesIn(details['optionalDependencies']),
    peerDependencies: namesIn(details['peerDependencies']),
    optionalPeers: textsIn(details['optionalPeers']),
  };
}

function readWorkspaces(stated: unknown): readonly BunWorkspace[] {
  if (!isJsonObject(stated)) return [];
  return Object.values(stated)
    .filter(isJsonObject)
    .map(({ name, dependencies, devDependencies, optionalDependencies, peerDependencies }) => ({
      name: typeof name === 'string' ? name : '',
      dependencies: namesIn(dependencies),
      devDependencies: namesIn(devDependencies),
      optionalDependencies: namesIn(optionalDependencies),
      peerDependencies: namesIn(peerDependencies),
    }));
}

/** The keys of an object. */
function namesIn(list: unknown): readonly string[] {
  return isJsonObject(list) ? Object.keys(list) : [];
}
