/** A change of one place of a source that plants one fault. */
export interface Mutant {
  /** `file:line:column:kind`, by which the command line names it. Line and column are 1-based. */
  readonly id: string;
  /** Relative to the root of the project. */
  readonly file: string;
  readonly kind: MutantKind;
  readonly language: 'typescript' | 'lua';
  /** The place in the text, as offsets. */
  readonly start: number;
  readonly end: number;
  /** Where a line of a script can say that it runs. */
  readonly mark?: number | undefined;
  readonly before: string;
  readonly after: string;
}

export const MUTANT_KINDS = ['await', 'swap', 'condition', 'effect', 'bound', 'key'] as const;

/**
 * `await`: does not wait for a statement. `swap`: runs two statements in the other order. `condition`: takes one branch always, or skips one
 * of two comparisons. `effect`: leaves out a call, or an assignment of a script. `bound`: a limit is off by one. `key`: a command of a script
 * has another key.
 */
export type MutantKind = (typeof MUTANT_KINDS)[number];

/** A place of a text and what stands there instead. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

export function replaceIn(text: string, { start, end, after }: Replacement): string {
  return text.slice(0, start) + after + text.slice(end);
}

/** Longest part of what stands there instead in a name. */
const VARIANT_LENGTH = 24;

/** Where mutants are looked for. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly language: Mutant['language'];
}

export function mutantOf(source: Source, kind: MutantKind, { start, end, after }: Replacement): Mutant {
  const { file, text, language } = source;
  const lines = text.slice(0, start).split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  const isVariant = kind === 'condition' || kind === 'key';
  const variant = isVariant ? `-${after.replaceAll(/\W+/g, '_').slice(0, VARIANT_LENGTH)}` : '';
  const id = `${file}:${lines.length}:${column}:${kind}${variant}`;
  return { id, file, kind, language, start, end, before: text.slice(start, end), after };
}
