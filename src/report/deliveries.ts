import type { NotifiedChange } from '../model/alert/notification.ts';
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryList,
  ResumedRoute,
  RetriedDeliveries,
  RetriedDelivery,
} from '../model/api/lockhound-api.generated.ts';
import { printable } from '../model/printable.ts';
import { counted, fitLines, type TextOptions } from './layout.ts';
import { type Palette, palette } from './palette.ts';

/** Two lines for each delivery, and how to resume stopped routes. `more`: whether there are further deliveries. */
export function deliveryListText(
  { deliveries, stoppedRoutes }: DeliveryList,
  options: TextOptions & { readonly more?: boolean },
): string {
  const paint = palette(options.colour);
  const lines = deliveries.flatMap((delivery) => {
    const { id, target, route, changes, attempts, updatedAt } = delivery;
    const facts = [counted(changes, 'change'), counted(attempts, 'attempt'), `route ${printable(route)}`];
    return [
      `${stateText(delivery, paint)}  ${paint.strong(printable(target))}  ${id}  ${paint.faint(updatedAt)}`,
      `           ${facts.join(', ')}${reasonText(delivery)}`,
    ];
  });
  const stops = stoppedRoutes.map(
    ({ route, at, reason }) =>
      `${paint.bad(`Route ${printable(route)} is stopped`)} since ${at}: ${printable(reason)}\n` +
      `  lockhound deliveries resume ${printable(route)}   after the receiver is repaired`,
  );
  const summary = [
    ...(deliveries.length === 0 ? ['No deliveries.'] : []),
    ...(options.more === true ? [paint.faint('… and more: use --limit to show them')] : []),
  ];
  return fitLines([...lines, ...summary, ...stops], options);
}

/** A delivery with its attempts, oldest first, and its changes while they are kept. */
export function deliveryText(
  { delivery, attempts, changes: all }: DeliveryDetails,
  options: TextOptions,
): string {
  const paint = palette(options.colour);
  const { id, target, route, scan, date, changes, filedAt, updatedAt, nextAttemptAt, reason } = delivery;
  const facts = [
    ['state', stateText(delivery, paint).trimEnd()],
    ['reason', reason],
    ['target', target],
    ['route', route],
    ['scan', `${scan}, requested at ${date}`],
    ['changes', all === undefined && changes > 0 ? `${changes}, no longer kept` : String(changes)],
    ['recorded', filedAt],
    ['last change', updatedAt],
    ['next attempt', nextAttemptAt],
    ['attempts', String(delivery.attempts)],
  ].flatMap(([name = '', value]) => {
    const text = name === 'state' ? value : value === undefined ? undefined : printable(value);
    return text === undefined ? [] : [`  ${name.padEnd(13)}${text}`];
  });
  const earlier = delivery.attempts - attempts.length;
  return fitLines(
    [
      paint.strong(id),
      ...facts,
      ...(earlier > 0
        ? [paint.faint(`  ${counted(earlier, 'earlier attempt')} ${earlier === 1 ? 'is' : 'are'} not kept`)]
        : []),
      ...attempts.flatMap((attempt) => attemptLines(attempt, paint)),
      ...(all ?? []).map((change) => `  ${printable(changeLine(change as NotifiedChange))}`),
      ...(all !== undefined && changes > all.length
        ? [paint.faint(`  … and ${changes - all.length} less severe ones, only counted`)]
        : []),
    ],
    options,
  );
}

const RETRY_OUTCOMES: Readonly<Record<RetriedDelivery['outcome'], string>> = {
  queued: 'is sent again',
  delivered: 'is already delivered and was not changed',
  held: 'is held: resume its route first',
  unknown: 'does not exist',
};

/** The results of sending again, one line for each delivery. */
export function retriedDeliveriesText({ deliveries }: RetriedDeliveries): string {
  if (deliveries.length === 0) return 'Nothing to send again.\n';
  return deliveries
    .map(({ id, outcome, behind }) => {
      const order = behind === undefined ? '' : `, after ${behind}, which goes first`;
      return `${id} ${RETRY_OUTCOMES[outcome]}${order}\n`;
    })
    .join('');
}

export function resumedRouteText({ route, held }: ResumedRoute): string {
  return `Route ${printable(route)} is resumed; ${held} held deliveries are sent now.\n`;
}

function attemptLines(attempt: DeliveryAttempt, paint: Palette): readonly string[] {
  const { at, durationMs, bytes, leftOut, status, error, answer } = attempt;
  const outcome = status === undefined ? 'no answer' : `HTTP ${status}`;
  const good = error === undefined;
  const size = bytes === undefined ? '' : `, ${counted(bytes, 'byte')}`;
  const omitted = leftOut === undefined ? '' : `, ${counted(leftOut, 'change')} only counted`;
  const head = `  ${at}  ${good ? paint.good(outcome) : paint.bad(outcome)} after ${durationMs} ms${size}${omitted}`;
  return [
    head,
    ...(error === undefined ? [] : [`    ${printable(error)}`]),
    ...(answer === undefined || answer === '' ? [] : [paint.faint(`    answer: ${printable(answer)}`)]),
  ];
}

function changeLine({ transition, finding, target }: NotifiedChange): string {
  const { name, version } = finding.package;
  const source = finding.advisory === undefined ? '' : `, ${finding.advisory.id}`;
  const whose = target === undefined ? '' : `${target}: `;
  return `${whose}${transition} ${finding.severity}: ${finding.title} (${name}@${version}${source})`;
}

function stateText({ state }: Delivery, paint: Palette): string {
  const text = state.padEnd(9);
  if (state === 'delivered') return paint.good(text);
  return state === 'failed' || state === 'held' ? paint.bad(text) : text;
}

function reasonText({ reason, nextAttemptAt }: Delivery): string {
  const next = nextAttemptAt === undefined ? '' : `; next attempt ${nextAttemptAt}`;
  return reason === undefined ? '' : `: ${printable(reason)}${next}`;
}
