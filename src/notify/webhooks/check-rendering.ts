import { alertOf } from '../alert/alert.ts';
import { testNotification } from '../alert/test-alert.ts';
import { renderRequest } from '../rendering/render-request.ts';
import { valuesOf } from '../rendering/values.ts';
import { type Desired, definitionFor } from './definition.ts';

/**
 * Fills every webhook in once, as for a test alert, with the values that are configured: an address that is none, a line
 * break in a token and a JSON value in the place of a key show before an alert fails over them. Throws `NotifyError`
 * (`url-invalid`, `header-invalid`, `template-invalid`), whose messages hold no value.
 */
export function checkRendering({ webhooks, variables }: Desired): void {
  for (const webhook of webhooks) {
    const sample = testNotification({
      route: webhook.route,
      mode: 'digest',
      transition: 'opened',
      ...SAMPLE,
    });
    renderRequest(definitionFor(webhook), valuesOf(alertOf(sample), variables));
  }
}

const SAMPLE = { id: 'msg_sample', date: '2026-01-01T00:00:00.000Z' } as const;
