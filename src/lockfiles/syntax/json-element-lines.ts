import { type LineNode, lineNodes, type Wanted } from './json-lines.ts';
import { isJsonObject } from './parse-json.ts';

/**
 * Lines of the objects in a list that is a member of the outermost object (`components`), and of those in their own
 * members of the same name. Text as most tools write it, one member on each line, is passed over once, an element told by
 * its indentation; anything else is scanned properly. `list`: what was parsed of it, by which the result is checked.
 * `wrapper`: the member that holds the outermost object in some files.
 */
export function elementLines(
  text: string,
  key: string,
  list: readonly unknown[],
  wrapper?: string,
): LineNode | undefined {
  if (!text.includes('\n')) return fakeLines(list, key);
  const found = prettyLines(text, key);
  if (found !== undefined && agrees(found, key, list)) return found;
  const each: { members: Record<string, Wanted> } = { members: {} };
  each.members[key] = { each };
  const top = lineNodes(text, { members: { ...each.members, ...(wrapper && { [wrapper]: each }) } })?.members;
  return top?.get(key) ?? top?.get(wrapper ?? '')?.members?.get(key);
}

/** A list whose elements are being passed, with the margins of what is in it. */
interface OpenList {
  readonly node: LineNode;
  readonly close: string;
  readonly element: string;
  /** Of the members of an element. */
  readonly member: string;
}

const OPENING_BRACE = 123;
const CLOSING_BRACKET = 93;

function prettyLines(text: string, key: string): LineNode | undefined {
  const unit = /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '';
  const start = unit === '' ? null : new RegExp(`\\n${unit}"${key}" ?: ?\\[\\r?\\n`).exec(text);
  if (start === null) return undefined;
  const opening = start.index + start[0].length - 1;
  const root = newNode(linesUntil(text, opening));
  return walkLists(text, { opening, root, key, unit }) ? root : undefined;
}

interface ListStart {
  /** Where the line ends that opens the list. */
  readonly opening: number;
  readonly root: LineNode;
  readonly key: string;
  /** By how much each level is indented. */
  readonly unit: string;
}

/** Notes the elements line by line; gives whether the end of the list was found. */
function walkLists(text: string, { opening, root, key, unit }: ListStart): boolean {
  const blank = unit.charCodeAt(0);
  const initial = key.charCodeAt(0);
  const around: OpenList[] = [];
  let list = openList(root, unit, unit);
  let line = root.line;
  for (let end = opening; end >= 0; ) {
    const from = end + 1;
    line += 1;
    end = text.indexOf('\n', from);
    const { node, close, element, member } = list;
    const character = text.charCodeAt(from + element.length);
    if (character === blank) {
      // Nearly all lines; of these only a key that begins like the one that is looked for.
      if (text.charCodeAt(from + member.length + 1) === initial && opensList(text, from, end, key)) {
        around.push(list);
        list = openList(addMember(node.elements?.at(-1) ?? root, key, line), member, unit);
      }
    } else if (character === OPENING_BRACE) {
      if (text.startsWith(element, from)) addElement(node, line);
    } else if (text.charCodeAt(from + close.length) === CLOSING_BRACKET && text.startsWith(close, from)) {
      const outer = around.pop();
      if (outer === undefined) return true;
      list = outer;
    }
  }
  return false;
}

function addElement(list: LineNode, line: number): void {
  list.elements ??= [];
  list.elements.push(newNode(line));
}

function openList(node: LineNode, close: string, unit: string): OpenList {
  return { node, close, element: close + unit, member: close + unit + unit };
}

function opensList(text: string, from: number, end: number, key: string): boolean {
  const row = text.slice(from, end).trim();
  return row.startsWith(`"${key}"`) && row.endsWith('[');
}

function addMember(node: LineNode, key: string, line: number): LineNode {
  const member = newNode(line);
  node.members ??= new Map();
  node.members.set(key, member);
  return member;
}

function newNode(line: number): LineNode {
  return { line, members: undefined, elements: undefined };
}

/** Number of the line that ends at `end`. */
function linesUntil(text: string, end: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Lists in lists; nobody asks for lines further inwards. */
const MAX_DEPTH = 250;

/** Whether there are as many elements as were parsed, everywhere. */
function agrees(node: LineNode | undefined, key: string, list: readonly unknown[], depth = 0): boolean {
  const objects = list.filter(isJsonObject);
  if (depth > MAX_DEPTH || objects.length !== (node?.elements?.length ?? 0)) return false;
  return objects.every((object, index) => {
    const inner = object[key];
    return !Array.isArray(inner) || agrees(node?.elements?.[index]?.members?.get(key), key, inner, depth + 1);
  });
}

/** Everything stands on the only line. */
function fakeLines(list: readonly unknown[], key: string, depth = 0): LineNode {
  const elements = list.filter(isJsonObject).map((object) => {
    const node = newNode(1);
    const inner = object[key];
    if (Array.isArray(inner) && depth < MAX_DEPTH)
      node.members = new Map([[key, fakeLines(inner, key, depth + 1)]]);
    return node;
  });
  return { line: 1, members: undefined, elements };
}
