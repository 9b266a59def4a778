import { JsonCursor } from './json-cursor.ts';
import { UnknownLayout } from './unknown-layout.ts';

/** Selects the values of a JSON text whose lines are needed. Without members and `each`, the value itself only. */
export interface Wanted {
  readonly members?: Readonly<Record<string, Wanted>>;
  /** For all other members, and for all elements that are objects. */
  readonly each?: Wanted;
}

/** The position of a selected value. */
export interface LineNode {
  /** 1-based line of its key, or of its brace where it has no key. */
  readonly line: number;
  /** Where a key is repeated, the last member counts, as in JSON.parse. */
  members: Map<string, LineNode> | undefined;
  /** The elements that are objects, in their order. */
  elements: LineNode[] | undefined;
}

/** Text that nests deeper gets no lines: recursion is limited by the stack. */
const MAX_DEPTH = 1_000;

/**
 * Returns the lines of the selected values of a JSON text; `undefined` where anything nests too deep. It does not check the
 * text: the result for invalid JSON means nothing.
 */
export function lineNodes(text: string, wanted: Wanted): LineNode | undefined {
  const root = newNode(1);
  try {
    const cursor = new JsonCursor(text, { maxDepth: MAX_DEPTH });
    visit(cursor, root, wanted);
    cursor.finish();
    return root;
  } catch (error) {
    if (error instanceof UnknownLayout) return undefined;
    throw error;
  }
}

function visit(cursor: JsonCursor, node: LineNode, { members, each }: Wanted): void {
  if (members === undefined && each === undefined) cursor.skip();
  else if (cursor.isObjectNext()) {
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      const line = cursor.passKey();
      const key = cursor.lastText();
      const wanted = members !== undefined && Object.hasOwn(members, key) ? members[key] : each;
      if (wanted === undefined) cursor.skip();
      else {
        const member = newNode(line);
        node.members ??= new Map();
        node.members.set(key, member);
        visit(cursor, member, wanted);
      }
    }
  } else if (each !== undefined && cursor.isListNext()) visitElements(cursor, node, each);
  else cursor.skip();
}

function visitElements(cursor: JsonCursor, node: LineNode, each: Wanted): void {
  for (let more = cursor.enterList(); more; more = cursor.nextElement()) {
    if (cursor.isObjectNext()) {
      const element = newNode(cursor.line);
      node.elements ??= [];
      node.elements.push(element);
      visit(cursor, element, each);
    } else cursor.skip();
  }
}

function newNode(line: number): LineNode {
  return { line, members: undefined, elements: undefined };
}
