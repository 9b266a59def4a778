import type { RetriedDeliveries } from '../../../model/api/lockhound-api.generated.ts';
import {
  deliveryListText,
  deliveryText,
  resumedRouteText,
  retriedDeliveriesText,
} from '../../../report/deliveries.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    list: { items: 'deliveries', limit: 50, text: deliveryListText },
    get: { text: deliveryText },
    retry: {
      args: ['delivery'],
      text: retriedDeliveriesText,
      isFound: ({ deliveries }: RetriedDeliveries) => deliveries.every(({ outcome }) => outcome === 'queued'),
    },
    resume: { text: resumedRouteText },
  },
  examples: `
Examples:
  lockhound deliveries --state failed --since 2d          what failed in the last two days
  lockhound deliveries get msg_5f0c…                      one delivery with its attempts and answers
  lockhound deliveries retry --state failed --since 6h    after an outage: send again what failed
  lockhound deliveries resume default                     resume a route whose receiver answered 410

A retry keeps the id of the delivery (\`webhook-id\`), so that receivers can ignore duplicates.
Exit codes: 0 done, 1 some deliveries were not sent again, 2 an error.`,
};
