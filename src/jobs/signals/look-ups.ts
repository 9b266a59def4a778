import { CodedError, messageOf } from '../../model/errors.ts';
import type { System } from '../../model/lockfile/version-key.ts';
import type { Releases } from '../../model/ports/releases.ts';
import type { Release } from '../../model/signal/release-facts.ts';
import type { ProjectLookUp } from './project-scores.ts';

export interface GatherOptions {
  readonly releases: Releases;
  readonly signal: AbortSignal;
  /** The target whose lockfiles have the packages. */
  readonly target?: string | undefined;
  /** Time of the inspection, ms since 1970. */
  readonly at: number;
  /** Whether the index knows digests of a system. Asked only for a digest that it does not know. */
  readonly knowsDigests: (system: System) => Promise<boolean>;
  /** Absent: nothing is known of source projects. */
  readonly lookUpProjects?: ProjectLookUp;
}

/** Gets a fact; `undefined` when it could not be had. */
export type Attempt = <Value>(fact: string, get: () => Promise<Value>) => Promise<Value | undefined>;
/** All versions of a package. */
export type Lists = (name: {
  readonly system: System;
  readonly name: string;
}) => Promise<readonly Release[] | undefined>;

/** Collects what could not be had. Rejects when aborted. */
export function createNotes(signal: AbortSignal) {
  const unknown: { fact: string; reason: string }[] = [];
  let failed: CodedError | undefined;
  const attempt: Attempt = async (fact, get) => {
    try {
      return await get();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CodedError)) throw error;
      unknown.push({ fact, reason: messageOf(error).slice(0, 300) });
      if (error.retryable) failed ??= error;
      return undefined;
    }
  };
  return { attempt, unknown, failure: () => failed };
}

/** Each package is looked up once in a job. */
export function createLists({ releases, signal }: GatherOptions): Lists {
  const known = new Map<string, Promise<readonly Release[] | undefined>>();
  return (name) => {
    const key = `${name.system}:${name.name}`;
    const found = known.get(key) ?? releases.list({ system: name.system, name: name.name }, signal);
    known.set(key, found);
    return found;
  };
}

/** How the facts of one version are gathered. */
export interface FactOptions extends GatherOptions {
  readonly attempt: Attempt;
  readonly lists: Lists;
}
