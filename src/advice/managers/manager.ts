import type { ProjectStatement } from '../../model/advice/project-statement.ts';

/** A package that requires another one. */
export interface Parent {
  readonly name: string;
  readonly version: string;
  readonly direct?: boolean | undefined;
}

/** A package whose locked version is to change. */
export interface Move {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Folder of the target that requires it, below that of the lockfile; empty for the same folder. */
  readonly folder: string;
  /** The name under which the target requires it there, where that is not its own. */
  readonly alias?: string | undefined;
  /** Whether the target requires a package of this name itself. */
  readonly isDirect: boolean;
  /** The purpose for which the target requires another version of it itself: for development only, or also for other purposes. */
  readonly besides?: 'dev' | 'prod' | undefined;
  /** Whether it is needed for development only. */
  readonly isDev: boolean;
  /** Its dependents; empty when an override may apply to all: no other version of it is locked, and the target does not require it itself. */
  readonly parents: readonly Parent[];
}

/**
 * The changes that a package manager can make to a lockfile. Commands are what a person runs in the folder of the lockfile; a line that
 * begins with `#` says what to edit where there is no command.
 */
export interface Manager {
  readonly name: string;
  /** Which version a re-lock selects: a given one, the highest that the requirements permit, or none. */
  readonly relocks: 'exactly' | 'highest' | 'never';
  /** Whether several versions of a package can be installed side by side. */
  readonly nests: boolean;
  /** Whether an upgrade of what the target requires also changes the version that other packages require and that is locked for both. */
  readonly upgradesDependents: boolean;
  /** Selects other versions within the requirements. `isWorkspace`: the lockfile is that of several folders. */
  relock(moves: readonly Move[], isWorkspace: boolean): readonly string[];
  /** Changes the requirements of the target and re-locks. */
  upgrade(moves: readonly Move[]): readonly string[];
  /** Forces versions on dependents, besides those that the project forces already. Absent where that is impossible. */
  override?(moves: readonly Move[], statement: ProjectStatement): readonly string[];
}

/** Reads which manager wrote a lockfile. */
export type Written = { readonly format: string; readonly statement: Pick<ProjectStatement, 'manager'> };

/** An argument of a command of a POSIX shell. */
export function argument(text: string): string {
  return /^[\w@./:=+,^~-]+$/.test(text) && !text.startsWith('~')
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** One command for all moves of each folder. `command`: from the folder and its arguments. */
export function byFolder(
  moves: readonly Move[],
  argumentOf: (move: Move) => string,
  command: (folder: string, given: string) => string,
): readonly string[] {
  return [...Map.groupBy(moves, ({ folder }) => folder)].map(([folder, own]) => {
    return command(argument(folder), [...new Set(own.map((move) => argument(argumentOf(move))))].join(' '));
  });
}
