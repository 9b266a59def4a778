import type { Logger } from 'pino';
import type { Stores } from '../../compose/store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { DoctorSubject, Found } from '../../model/fleet/checks.ts';

/** The things that a check may use. */
export interface Patient {
  readonly loaded: LoadedConfig;
  readonly stores: Stores;
  readonly log: Logger;
  /** Aborts when the time of the check is over. */
  readonly signal: AbortSignal;
}

/** A finding of a check; the name is that of the check unless it has its own. */
export interface Finding extends Found {
  readonly check?: string;
  /** Something safe that removes the fault. */
  readonly fix?: { readonly what: string; apply(): Promise<void> } | undefined;
}

/** One thing that goes wrong in real installations. */
export interface Check<Needs = Patient> {
  readonly subject: DoctorSubject;
  readonly name: string;
  /** Rejects when it cannot find out; the reason is then shown. */
  run(patient: Needs): Promise<Finding | readonly Finding[]>;
}

/** Checks that need no Redis. */
export type IndependentCheck = Check<Omit<Patient, 'stores'>>;

/** Returns a check that reads Redis. */
export function check(subject: DoctorSubject, name: string, run: Check['run']): Check {
  return { subject, name, run };
}

/** Returns a check that needs no Redis. */
export function independent(
  subject: DoctorSubject,
  name: string,
  run: IndependentCheck['run'],
): IndependentCheck {
  return { subject, name, run };
}
