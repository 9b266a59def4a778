/** A requirement that a lockfile or a manifest states. */
export interface StatedRequirement {
  /** Id of the package that requires (`name@version`); empty for the target itself. */
  readonly by: string;
  /** Folder of the target that requires, below that of the lockfile; empty for the same folder. Only where `by` is empty. */
  readonly folder: string;
  readonly name: string;
  /** The name under which it is required, where that is not its own (an npm alias). */
  readonly alias?: string | undefined;
  /** In the ecosystem's own notation. */
  readonly requirement: string;
  /** Whether it is about the version that the package finds beside itself, so that no other one can be installed for it (npm's `peerDependencies`). */
  readonly isPeer?: boolean | undefined;
  /** Whether such a peer may be missing, where that is read. */
  readonly isOptional?: boolean | undefined;
}

/** A version that the project itself forces on every dependent: npm's `overrides`, Yarn's `resolutions`. */
export interface StatedPin {
  readonly name: string;
  readonly requirement: string;
  /** The file and setting that states it. */
  readonly where: string;
  /** Whether it applies to every dependent, and not only to some. */
  readonly everywhere: boolean;
}

/** How long a release has to be public before the project's package manager selects it. */
export interface StatedCooldown {
  readonly minutes: number;
  /** In ms since 1970: releases after it are never selected. */
  readonly before?: number;
  /** The file and setting that states it. */
  readonly where: string;
  /** Names, with `*` for any text, to which it does not apply; after an `@`, the versions to which it does not. */
  readonly except: readonly string[];
}

/** The requirements that a lockfile and the files beside it state about the selection of versions. */
export interface ProjectStatement {
  readonly requirements: readonly StatedRequirement[];
  /** Whether every requirement of the target itself is among them. */
  readonly statesDirect: boolean;
  readonly pins: readonly StatedPin[];
  /** pnpm's `overrides` by selector: its command replaces them all. */
  readonly overrides?: Readonly<Record<string, string>> | undefined;
  readonly cooldown?: StatedCooldown | undefined;
  /** Set where the format alone does not say which package manager wrote the lockfile. */
  readonly manager?: 'yarn-1' | undefined;
}
