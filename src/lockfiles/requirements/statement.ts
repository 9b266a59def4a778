import type { ProjectStatement } from '../../model/advice/project-statement.ts';

/** The input of a reader: the text of the lockfile, and the texts of the files beside it by name. */
export interface StatementInput {
  readonly path: string;
  readonly text: string;
  readonly files: ReadonlyMap<string, string>;
}

/** Reads the requirements that a format states. Throws `LockfileError` for a text that is not of the format. */
export type StatementReader = (input: StatementInput) => Omit<ProjectStatement, 'cooldown'>;

/** Strings among the members of an object, by name. */
export function textsOf(value: unknown): readonly (readonly [name: string, text: string])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, text] as const] : [],
  );
}
