/** Members of a list that are written at once: some milliseconds. */
const MEMBERS_A_PART = 500;
/** Large lists lie no deeper in what is stored: an outcome's `result.lockfiles[].packages`. */
const MAX_DEPTH = 4;

/**
 * The JSON text of a value as `JSON.stringify` writes it, in parts that each take little time to make, for a caller that does
 * other work between them. Only plain objects and lists; `undefined` itself is `null`.
 */
export function* jsonParts(value: unknown, depth = 0): Generator<string, void, void> {
  if (Array.isArray(value) && (depth < MAX_DEPTH || value.length > MEMBERS_A_PART)) {
    yield* listParts(value, depth);
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    yield* objectParts(value, depth);
  } else yield JSON.stringify(value) ?? 'null';
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
