import type { Alert } from '../alert/alert.ts';

/** A variable computed from the alert: text, or (`json`) any JSON value, written unquoted in templates. */
export type AlertVariable = {
  readonly name: string;
  /** One line, for the documentation. */
  readonly description: string;
} & ({ readonly text: (alert: Alert) => string } | { readonly json: (alert: Alert) => unknown });
