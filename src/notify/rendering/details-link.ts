import type { Notification } from '../../model/alert/notification.ts';
import { alertOf } from '../alert/alert.ts';
import { NotifyError } from '../errors.ts';
import { renderUrl } from './render-url.ts';
import { valuesOf } from './values.ts';

/** Adds the link to the details page to a notification, from the template `notify.link`. */
export function linker(template: string | undefined): (notification: Notification) => Notification {
  return (notification) => {
    if (template === undefined) return notification;
    try {
      return {
        ...notification,
        link: renderUrl(template, valuesOf(alertOf(notification), {}), '`notify.link`'),
      };
    } catch (error) {
      // A target named `..` has no page; the alert is sent without a link.
      if (error instanceof NotifyError) return notification;
      throw error;
    }
  };
}
