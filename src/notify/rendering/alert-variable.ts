import type { Alert } from '../alert/alert.ts';

/** A variable of the alert itself. Text, or (`json`) any JSON value, which stands unquoted in a template. */
export type NotificationVariable = {
  readonly name: string;
  /** One line, for the documentation. */
  readonly description: string;
} & ({ readonly text: (alert: Alert) => string } | { readonly json: (alert: Alert) => unknown });
