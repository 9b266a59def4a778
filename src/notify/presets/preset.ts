import type { NotificationMode } from '../../model/alert/notification.ts';
import type { Transition } from '../../model/scan/change.ts';
import type { NotificationVariable } from '../rendering/alert-variable.ts';

/** What a kind of receiver wants: a webhook definition, and the variables that its payload needs. */
export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly encodeAs: 'json' | 'form';
  /** Template; left out where every receiver has its own address. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Template. */
  readonly payload: string;
  /** The secret variable that URL, headers or payload use; `notify.variables` has to define it. */
  readonly secret?: { readonly name: string; readonly description: string };
  /** What fits the receiver where the configuration does not say. Default `digest`. */
  readonly mode?: NotificationMode;
  /** The changes that the receiver has a use for. Default: all. */
  readonly transitions?: readonly Transition[];
  /** Values that are cut to the receiver's limits. */
  readonly variables?: readonly NotificationVariable[];
  /** What the receiver accepts, for the documentation. */
  readonly limits?: readonly string[];
}
