import type { Notification } from '../model/notification.ts';

/** A variable of the alert itself. Text, or (`json`) any JSON value, which stands unquoted in a template. */
export type NotificationVariable = {
  readonly name: string;
  /** One line, for the documentation. */
  readonly description: string;
} & (
  | { readonly text: (notification: Notification) => string }
  | { readonly json: (notification: Notification) => unknown }
);
