/**
 * Which lines of a JSON text are wanted: those of the members with certain names, or of each member, or each element
 * that is an object, and so on inwards.
 */
export interface Wanted {
  readonly members?: Readonly<Record<string, Wanted>>;
  /** Of every other member, and of every element. */
  readonly each?: Wanted;
}

/** Where a wanted value stands. */
export interface LineNode {
  /** 1-based: of its key, or of its brace where it has none. */
  readonly line: number;
  /** By key. Of a key that is repeated the last counts, as in JSON.parse. */
  members: Map<string, LineNode> | undefined;
  /** Of the elements that are objects, in their order; other elements are not counted. */
  elements: LineNode[] | undefined;
}

/** A value that is being passed over. */
interface Open {
  readonly node: LineNode | undefined;
  readonly wanted: Wanted | undefined;
  readonly isList: boolean;
}

/** The value that a key announces. */
type Announced = Pick<Open, 'node' | 'wanted'>;

const NOTHING: Announced = { node: undefined, wanted: undefined };
const UNWANTED_LIST: Open = { ...NOTHING, isList: true };
const UNWANTED_OBJECT: Open = { ...NOTHING, isList: false };

/** Lines of what is wanted, by one pass over text that is known to be JSON, however it is laid out. */
export function lineNodes(text: string, wanted: Wanted): LineNode | undefined {
  const root: LineNode = { line: 1, members: undefined, elements: undefined };
  const stack: Open[] = [];
  let line = 1;
  let announced: Announced = { node: root, wanted };
  for (let at = nextToken(text, 0); at < text.length; at = nextToken(text, at + 1)) {
    const character = text[at];
    if (character === '\n') line += 1;
    else if (character === '{' || character === '[') {
      stack.push(opened(stack.at(-1), announced, { line, isList: character === '[' }));
      announced = NOTHING;
    } else if (character !== '"') {
      stack.pop();
      announced = NOTHING;
    } else {
      const end = endOfString(text, at);
      if (isKey(text, end)) announced = announce(stack.at(-1), text.slice(at, end), line);
      at = end - 1;
    }
  }
  return root;
}

const TOKEN = /[\n{}[\]"]/g;

/** Where the next line, string, object or list begins or ends; the end of the text when nothing does. */
function nextToken(text: string, from: number): number {
  TOKEN.lastIndex = from;
  return TOKEN.test(text) ? TOKEN.lastIndex - 1 : text.length;
}

function announce(parent: Open | undefined, quoted: string, line: number): Announced {
  if (parent?.wanted === undefined || parent.node === undefined) return NOTHING;
  const key = unescaped(quoted);
  const { members, each } = parent.wanted;
  const wanted = members !== undefined && Object.hasOwn(members, key) ? members[key] : each;
  if (wanted === undefined) return NOTHING;
  const node = newNode(line);
  parent.node.members ??= new Map();
  parent.node.members.set(key, node);
  return { node, wanted };
}

/** What an object or list that opens now is to the scan. */
function opened(
  parent: Open | undefined,
  announced: Announced,
  { line, isList }: { readonly line: number; readonly isList: boolean },
): Open {
  if (announced.node !== undefined) return { ...announced, isList };
  const each = parent?.isList === true && !isList ? parent.wanted?.each : undefined;
  if (each === undefined || parent?.node === undefined) return isList ? UNWANTED_LIST : UNWANTED_OBJECT;
  const node = newNode(line);
  parent.node.elements ??= [];
  parent.node.elements.push(node);
  return { node, wanted: each, isList };
}

function newNode(line: number): LineNode {
  return { line, members: undefined, elements: undefined };
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

function isKey(text: string, from: number): boolean {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return text[at] === ':';
}

function unescaped(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
