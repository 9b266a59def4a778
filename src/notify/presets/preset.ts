import type { NotificationMode } from '../../model/alert/notification.ts';
import type { Transition } from '../../model/scan/transition.ts';
import type { Alert } from '../alert/alert.ts';

/** The webhook definition for one kind of receiver, and the variables that its payload needs. */
export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly encodeAs: 'json' | 'form';
  /** Template; absent when every receiver has its own URL. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Template. */
  readonly payload: string;
  /** The secret variable used by URL, headers or payload; `notify.variables` must define it. */
  readonly secret?: { readonly name: string; readonly description: string };
  /** Used when the configuration names no mode. Default `digest`. */
  readonly mode?: NotificationMode;
  /** The changes that are sent. Default: all. */
  readonly transitions?: readonly Transition[];
  /** False when the receiver keeps an alert or an issue open by itself: it then gets no reminders by default. */
  readonly reminders?: false;
  /** Variables whose values are within the receiver's limits. */
  readonly variables?: readonly AlertVariable[];
  /** Limits of the receiver, for the documentation. */
  readonly limits?: readonly string[];
}

/** A variable computed from the alert: text, or (`json`) any JSON value, written unquoted in templates. */
export type AlertVariable = {
  readonly name: string;
  /** One line, for the documentation. */
  readonly description: string;
} & ({ readonly text: (alert: Alert) => string } | { readonly json: (alert: Alert) => unknown });
