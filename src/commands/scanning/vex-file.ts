import { ConfigError } from '../../config/errors.ts';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';
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

/** Reads an OpenVEX or CycloneDX VEX document. Throws `FileError`, and `ConfigError` (`config-invalid`) for any other file. */
export async function readVexFile(path: string): Promise<VexFile> {
  const content = await readFile(path, { maxBytes: MAX_INPUT_BYTES });
  const text = content.toString('utf8').replace(/^\ufeff/, '');
  const read = readVex(text);
  if (typeof read === 'string') throw new ConfigError('config-invalid', `${path} ${read}`);
  if (read.notApplied.length === 0) return { ...read, notApplied: [] };
  const lineOf = statementLines(text);
  return { ...read, notApplied: read.notApplied.map((one) => ({ ...one, line: lineOf(one) })) };
}

const STATEMENTS = { members: { statements: { each: {} }, vulnerabilities: { each: {} } } };

/** The line of a statement; that of the list for one that is no object. */
function statementLines(text: string): (one: NotApplied) => number {
  const { members } = lineNodes(text, STATEMENTS) ?? {};
  const list = members?.get('statements') ?? members?.get('vulnerabilities');
  return ({ statement }) => list?.elements?.[Number(statement.slice(1))]?.line ?? list?.line ?? 1;
}
