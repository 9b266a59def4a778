import { createYielder } from '../../model/yielding.ts';

/** Members of a list in one part: the text of 100 packages is shorter than what V8 gives memory of its own. */
const MEMBERS_A_PART = 100;
/** A value of fewer members, in all of its lists and objects, is one part: more parts would take longer than their text. */
const MAX_SMALL_MEMBERS = 2_000;
/** The name, the punctuation and the short value of a member take about as many characters. */
const MEMBER_CHARACTERS = 20;
/** Large lists are stored no deeper: `result.lockfiles[].packages` of an outcome. */
const MAX_DEPTH = 4;

/**
 * The JSON text of a value as `JSON.stringify` writes it, in parts that each take some milliseconds. For plain objects and
 * lists; `undefined` itself becomes `null`.
 */
export function* jsonParts(value: unknown, depth = 0): Generator<string, void, void> {
  if (depth < MAX_DEPTH && isSmall(value)) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value) && (depth < MAX_DEPTH || value.length > MEMBERS_A_PART)) {
    yield* listParts(value, depth);
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    yield* objectParts(value, depth);
  } else yield JSON.stringify(value) ?? 'null';
}

/**
 * Reads JSON in the lines that `jsonParts` wrote, in slices that yield to other work. JSON without line breaks is read
 * in one step. Throws when it is damaged.
 */
export async function readJsonLines(blocks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<unknown> {
  const reader = new LineReader();
  const yieldIfDue = createYielder();
  for await (const line of linesOf(blocks)) {
    reader.take(line);
    await yieldIfDue();
  }
  return reader.value();
}

async function* linesOf(blocks: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const block of blocks) {
    let start = 0;
    for (let end = block.indexOf(0x0a); end >= 0; end = block.indexOf(0x0a, start)) {
      begun.push(block.subarray(start, end));
      yield Buffer.concat(begun).toString('utf8');
      begun = [];
      start = end + 1;
    }
    begun.push(block.subarray(start));
  }
  yield Buffer.concat(begun).toString('utf8');
}

/** An object or a list that is not complete yet. */
type Open = { readonly list: unknown[] } | { readonly entries: [string, unknown][]; key: string | undefined };

class LineReader {
  private readonly open: Open[] = [];
  private readonly read: unknown[] = [];

  take(written: string): void {
    const line = written.startsWith(',') ? written.slice(1) : written;
    if (line === '') return;
    const top = this.open.at(-1);
    if (line === '{') this.open.push({ entries: [], key: undefined });
    else if (line === '[') this.open.push({ list: [] });
    else if (line === '}' || line === ']') this.end(line);
    else if (top !== undefined && 'list' in top) for (const one of membersOf(line)) top.list.push(one);
    else if (top !== undefined && top.key === undefined) top.key = keyOf(line);
    else this.add(JSON.parse(line));
  }

  value(): unknown {
    if (this.open.length > 0 || this.read.length !== 1) throw new SyntaxError('the JSON ends too early');
    return this.read[0];
  }

  private end(line: string): void {
    const ended = this.open.pop();
    if (ended === undefined || 'list' in ended !== (line === ']'))
      throw new SyntaxError(`"${line}" ends nothing`);
    // `__proto__` is a key like any other.
    this.add('list' in ended ? ended.list : Object.fromEntries(ended.entries));
  }

  private add(value: unknown): void {
    const top = this.open.at(-1);
    if (top === undefined) this.read.push(value);
    else if ('list' in top) top.list.push(value);
    else if (top.key === undefined) throw new SyntaxError('a value without a key');
    else {
      top.entries.push([top.key, value]);
      top.key = undefined;
    }
  }
}

/** Whether a value is one part. Looks at no more of it than decides. */
function isSmall(value: unknown): boolean {
  return roomAfter(value, MAX_SMALL_MEMBERS) > 0;
}

/** Returns the number of members that is left after those of a value; a long text counts as several. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - 1 - value.length / MEMBER_CHARACTERS;
  if (typeof value !== 'object' || value === null) return room - 1;
  let left = room - 1;
  for (const one of Array.isArray(value) ? value : Object.values(value)) {
    left = roomAfter(one, left);
    if (left <= 0) break;
  }
  return left;
}

function membersOf(line: string): readonly unknown[] {
  return JSON.parse(`[${line}]`) as readonly unknown[];
}

function keyOf(line: string): string {
  if (!line.endsWith(':')) throw new SyntaxError('a key is expected');
  return String(JSON.parse(line.slice(0, -1)));
}

function* listParts(list: readonly unknown[], depth: number): Generator<string, void, void> {
  yield '[';
  if (depth < MAX_DEPTH && list.length <= MEMBERS_A_PART) {
    for (const [at, one] of list.entries()) {
      if (at > 0) yield ',';
      yield* jsonParts(one, depth + 1);
    }
  } else {
    for (let start = 0; start < list.length; start += MEMBERS_A_PART) {
      const part = JSON.stringify(list.slice(start, start + MEMBERS_A_PART)).slice(1, -1);
      yield start > 0 ? `,${part}` : part;
    }
  }
  yield ']';
}

function* objectParts(object: object, depth: number): Generator<string, void, void> {
  yield '{';
  let isFirst = true;
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${isFirst ? '' : ','}${JSON.stringify(key)}:`;
    yield* jsonParts(value, depth + 1);
    isFirst = false;
  }
  yield '}';
}
