import type { NotifiedChange } from '../../../model/alert/notification.ts';
import type {
  DeliveryDetails,
  DeliveryList,
  ResumedRoute,
  RetriedDeliveries,
} from '../../../model/api/lockhound-api.generated.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    list: {
      items: 'deliveries',
      limit: 50,
      // That no route is stopped is the usual case.
      shown: ({ stoppedRoutes, ...others }: DeliveryList) => ({
        ...others,
        ...(stoppedRoutes.length > 0 && { stoppedRoutes }),
      }),
      columns: {
        deliveries: 'state target route changes attempts updatedAt reason nextAttemptAt id',
      },
    },
    get: {
      shown: ({ changes, ...others }: DeliveryDetails) => ({
        ...others,
        ...(changes !== undefined && { changes: changes.map((one) => changeText(one as NotifiedChange)) }),
      }),
    },
    retry: {
      args: ['delivery'],
      isFound: ({ deliveries }: RetriedDeliveries) => deliveries.every(({ outcome }) => outcome === 'queued'),
    },
    resume: {
      text: ({ held }: ResumedRoute, { params }) =>
        `Route ${params['route']} is resumed; ${held} held deliveries are sent now.\n`,
    },
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

function changeText({ transition, finding, target }: NotifiedChange): string {
  const { name, version } = finding.package;
  const source = finding.advisory === undefined ? '' : `, ${finding.advisory.id}`;
  const whose = target === undefined ? '' : `${target}: `;
  return `${whose}${transition} ${finding.severity}: ${finding.title} (${name}@${version}${source})`;
}
