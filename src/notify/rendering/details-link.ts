import type { Notification } from '../../model/alert/notification.ts';
import { alertOf } from '../alert/alert.ts';
import { NotifyError } from '../errors.ts';
import { renderUrl } from './render-url.ts';
import { valuesOf } from './values.ts';

/** Puts the link to the page with the details on a notification, from the template that is configured. */
export function linker(template: string | undefined): (notification: Notification) => Notification {
  return (notification) => {
    if (template === undefined) return notification;
    try {
      return {
        ...notification,
        link: renderUrl(template, valuesOf(alertOf(notification), {}), '`notify.link`'),
      };
    } catch (error) {
      // A target called `..` has no page; that is no reason to lose the alert.
      if (error instanceof NotifyError) return notification;
      throw error;
    }
  };
}
