import type { Problem } from '../../model/scan/lockfile.ts';
import { ProblemList } from '../packages/problem-list.ts';

export interface Tag {
  readonly tag: string;
  readonly value: string;
  /** 1-based. */
  readonly line: number;
}

const TAG = /^([A-Za-z][A-Za-z0-9-]*)\s*:\s*(.*)$/;
const OPENING = '<text>';
const CLOSING = '</text>';

/** Splits a document into its tags. Values in `<text>` may go over several lines. */
export function readTags(text: string): {
  readonly tags: readonly Tag[];
  readonly problems: readonly Problem[];
} {
  const tags: Tag[] = [];
  const problems = new ProblemList();
  const rows = text.split('\n');
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index]?.trim() ?? '';
    if (row === '' || row.startsWith('#')) continue;
    const line = index + 1;
    const [, tag, first] = TAG.exec(row) ?? [];
    if (tag === undefined || first === undefined) {
      problems.add(line, 'the line is neither `Tag: value` nor a comment');
      continue;
    }
    const parts = [first];
    // Without an end the text is the line alone: the rest of the file must not be lost in it.
    if (first.startsWith(OPENING) && !first.includes(CLOSING)) {
      const end = endOfText(rows, index + 1);
      if (end === undefined) problems.add(line, `the ${OPENING} of ${tag} has no end`);
      for (; index < (end ?? 0); index += 1) parts.push(rows[index + 1] ?? '');
    }
    tags.push({ tag, value: unwrapped(parts.join('\n')), line });
  }
  return { tags, problems: problems.all() };
}

/** The row that ends a text begun above, unless another text begins before it. */
function endOfText(rows: readonly string[], from: number): number | undefined {
  for (let index = from; index < rows.length; index += 1) {
    if (rows[index]?.includes(CLOSING)) return index;
    if (rows[index]?.includes(OPENING)) return undefined;
  }
  return undefined;
}

function unwrapped(value: string): string {
  return value.startsWith(OPENING)
    ? value
        .slice(OPENING.length)
        .replace(/<\/text>.*$/s, '')
        .trim()
    : value;
}
