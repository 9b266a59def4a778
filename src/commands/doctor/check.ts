import type { Logger } from 'pino';
import type { Stores } from '../../compose/store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Diagnosis, DoctorSubject } from '../../model/fleet/checks.ts';

/** What a check may use. */
export interface Patient {
  readonly loaded: LoadedConfig;
  readonly stores: Stores;
  readonly log: Logger;
  /** Aborts when the time of the check is over. */
  readonly signal: AbortSignal;
}

/** A finding of a check; subject and name are those of the check unless it has its own. */
export type Finding = Omit<Diagnosis, 'subject' | 'check' | 'fix' | 'fixed'> & {
  readonly check?: string;
  /** Something safe that removes the fault. */
  readonly fix?: { readonly what: string; apply(): Promise<void> } | undefined;
};

/** One thing that goes wrong in real installations. */
export interface Check<Needs = Patient> {
  readonly subject: DoctorSubject;
  readonly name: string;
  /** Rejects when it cannot find out; the reason is then shown. */
  run(patient: Needs): Promise<readonly Finding[]>;
}

/** Checks that need no Redis. */
export type IndependentCheck = Check<Omit<Patient, 'stores'>>;

export const ok = (says: string): readonly Finding[] => [{ verdict: 'fine', says }];
export const note = (says: string, remedy?: string): readonly Finding[] => [
  { verdict: 'fine', says, remedy },
];
export const unknown = (says: string, remedy?: string): readonly Finding[] => [
  { verdict: 'unknown', says, remedy },
];
export const warning = (says: string, remedy: string): readonly Finding[] => [
  { verdict: 'degraded', says, remedy },
];
export const fault = (says: string, remedy: string): readonly Finding[] => [
  { verdict: 'broken', says, remedy },
];
