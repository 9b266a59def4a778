import { lineNodes } from '../../lockfiles/syntax/json-lines.ts';
import type { NotApplied, VexDocument } from '../../policy/suppressions/vex/document.ts';
import { readVex } from '../../policy/suppressions/vex/read-vex.ts';

/** A statement that suppresses nothing, with the 1-based line on which it begins. */
export interface NotAppliedAt extends NotApplied {
  readonly line: number;
}

export interface VexFile extends VexDocument {
  readonly notApplied: readonly NotAppliedAt[];
}

/** Reads the text of an OpenVEX or CycloneDX VEX document. Returns the reason as a string when it is not such a document. */
export function readVexText(written: string): VexFile | string {
  const text = written.replace(/^\ufeff/, '');
  const read = readVex(text);
  if (typeof read === 'string') return read;
  if (read.notApplied.length === 0) return { ...read, notApplied: [] };
  const lineOf = statementLines(text);
  return { ...read, notApplied: read.notApplied.map((one) => ({ ...one, line: lineOf(one) })) };
}

const STATEMENTS = { members: { statements: { each: {} }, vulnerabilities: { each: {} } } };

/** The line of a statement; that of the list for one that is no object. */
function statementLines(text: string): (one: NotApplied) => number {
  const { members } = lineNodes({ text }, STATEMENTS) ?? {};
  const list = members?.get('statements') ?? members?.get('vulnerabilities');
  return ({ statement }) => list?.elements?.[Number(statement.slice(1))]?.line ?? list?.line ?? 1;
}
