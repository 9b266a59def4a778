import { isObject, type JsonObject } from '../../model/json-object.ts';
import { lineNodes } from '../syntax/json-lines.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { textsIn } from '../syntax/parse-toml.ts';
import {
  type BunDocument,
  type BunEntry,
  type BunFault,
  type BunWorkspace,
  emptyEntry,
  isIntegrity,
} from './document.ts';
import { createNames, type Name, type NameOf } from './places.ts';

/** Reads a bun.lock in any layout: Bun writes trailing commas and accepts comments. Throws `LockfileError`. */
export function readGeneral(source: string, path: string): BunDocument {
  const { text, root } = parseBunLock(source, path);
  const nameOf = createNames();
  const packages = isObject(root['packages']) ? root['packages'] : {};
  const lines = lineNodes(text, { members: { packages: { each: {} } } })?.members?.get('packages')?.members;
  return {
    lockfileVersion: root['lockfileVersion'],
    workspaces: readWorkspaces(root['workspaces'], nameOf),
    packages: Object.entries(packages).map(([key, stated]) =>
      readEntry(nameOf(key), lines?.get(key)?.line, stated, nameOf),
    ),
    nameOf,
  };
}

/** The content of a bun.lock, and the JSON that it was read from, with the lines of the source. Throws `LockfileError`. */
export function parseBunLock(
  source: string,
  path: string,
): { readonly text: string; readonly root: JsonObject } {
  const text = withoutTrailingCommas(withoutComments(source));
  return { text, root: parseJsonObject(text, path, 'a bun.lock') };
}

/**
 * Reads `[id, registry, details, integrity]`, `[id, details, tag]` or `[id]`. The registry and the tag are strings, the details
 * are an object.
 */
function readEntry(
  key: Name,
  line: number | undefined,
  stated: unknown,
  nameOf: NameOf,
): BunEntry | BunFault {
  key.isKey = true;
  if (!Array.isArray(stated)) return { key, line, fault: 'is not a list' };
  const [id, registry] = stated;
  if (typeof id !== 'string') return { key, line, fault: 'does not begin with its name and version' };
  const details = stated.find(isObject) ?? {};
  return {
    ...emptyEntry(key, line),
    id,
    registry: typeof registry === 'string' ? registry : '',
    integrity: stated.findLast((one) => typeof one === 'string' && isIntegrity(one)),
    dependencies: namesIn(details['dependencies'], nameOf),
    optionalDependencies: namesIn(details['optionalDependencies'], nameOf),
    peerDependencies: namesIn(details['peerDependencies'], nameOf),
    optionalPeers: textsIn(details['optionalPeers']),
  };
}

function readWorkspaces(stated: unknown, nameOf: NameOf): readonly BunWorkspace[] {
  if (!isObject(stated)) return [];
  return Object.values(stated)
    .filter(isObject)
    .map(({ name, dependencies, devDependencies, optionalDependencies, peerDependencies }) => ({
      name: typeof name === 'string' ? name : '',
      dependencies: namesIn(dependencies, nameOf),
      devDependencies: namesIn(devDependencies, nameOf),
      optionalDependencies: namesIn(optionalDependencies, nameOf),
      peerDependencies: namesIn(peerDependencies, nameOf),
    }));
}

/** The keys of an object. */
function namesIn(list: unknown, nameOf: NameOf): readonly Name[] {
  return isObject(list) ? Object.keys(list).map(nameOf) : [];
}

/** Replaces comments with spaces, so that lines and columns stay the same. */
function withoutComments(text: string): string {
  return rewritten(text, /["/]/g, (at) => {
    const isLine = text.startsWith('//', at);
    if (!isLine && !text.startsWith('/*', at)) return undefined;
    const close = isLine ? text.indexOf('\n', at) : text.indexOf('*/', at + 2);
    const end = close < 0 ? text.length : close + (isLine ? 0 : 2);
    return { end, by: text.slice(at, end).replace(/[^\n]+/g, ' ') };
  });
}

function withoutTrailingCommas(text: string): string {
  return rewritten(text, /[",]/g, (at) => {
    let next = at + 1;
    while (' \t\r\n'.includes(text.charAt(next)) && next < text.length) next += 1;
    return text[next] === '}' || text[next] === ']' ? { end: at + 1, by: '' } : undefined;
  });
}

/** Replaces parts of a JSON text outside strings. `pieceAt` is called for the matches of the pattern. */
function rewritten(
  text: string,
  pattern: RegExp,
  pieceAt: (at: number) => { readonly end: number; readonly by: string } | undefined,
): string {
  const kept: string[] = [];
  let from = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const at = found.index;
    if (found[0] === '"') pattern.lastIndex = endOfString(text, at);
    else {
      const piece = pieceAt(at);
      if (piece === undefined) continue;
      kept.push(text.slice(from, at), piece.by);
      from = piece.end;
      pattern.lastIndex = from;
    }
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
