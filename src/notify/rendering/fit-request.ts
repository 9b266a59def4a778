import { setImmediate } from 'node:timers/promises';
import type { Notification } from '../../model/alert/notification.ts';
import { type Alert, type AlertShape, alertMaker } from '../alert/alert.ts';
import type { RenderedRequest } from './render-request.ts';

/** A request, and the number of changes that it leaves out. */
export interface FittedRequest {
  readonly request: RenderedRequest;
  /** The size of the body. */
  readonly bytes: number;
  /** Number of changes that are counted but not listed. */
  readonly leftOut: number;
}

/**
 * The smallest number of bytes that a template writes for a change. It bounds the work by the limit instead of by the
 * number of changes.
 */
const MIN_CHANGE_BYTES = 32;

/** Few templates write more bytes for a change. So many changes are rendered first. */
const USUAL_CHANGE_BYTES = 4_096;

/**
 * The request with all changes when its body is within `maxBytes`, otherwise with as many of the worst changes as fit,
 * possibly none. Yields to the event loop between renderings.
 */
export async function fitRequest(
  notification: Notification,
  maxBytes: number,
  render: (alert: Alert) => RenderedRequest,
): Promise<FittedRequest> {
  const make = alertMaker(notification);
  const rendered = (shape: AlertShape): FittedRequest => {
    const alert = make(shape);
    const request = render(alert);
    return { request, bytes: Buffer.byteLength(request.body), leftOut: alert.leftOut };
  };
  const total = notification.changes.length;
  const most = Math.min(total, Math.ceil(maxBytes / MIN_CHANGE_BYTES));
  const whole = await largest(most, maxBytes, 'all or nothing', (count) => rendered({ most: count }));
  if (whole?.leftOut === 0) return whole;
  const short = await largest(most, maxBytes, 'as many as fit', (count) =>
    rendered({ most: count, brief: true }),
  );
  return short ?? rendered({ most: 0 });
}

/** Starts with what usually fits, doubles the count until a request is too large, then bisects, to within 3 % of the largest count that fits. */
async function largest(
  most: number,
  maxBytes: number,
  want: 'all or nothing' | 'as many as fit',
  make: (count: number) => FittedRequest,
): Promise<FittedRequest | undefined> {
  let best: FittedRequest | undefined;
  let [fitting, tooMany] = [0, most + 1];
  let count = Math.min(Math.max(1, Math.floor(maxBytes / USUAL_CHANGE_BYTES)), most);
  do {
    const rendered = make(count);
    if (rendered.bytes <= maxBytes) [best, fitting] = [rendered, count];
    else if (want === 'all or nothing') return undefined;
    else tooMany = count;
    count = tooMany > most ? Math.min(most, 2 * fitting) : Math.floor((fitting + tooMany) / 2);
    await setImmediate();
  } while (tooMany - fitting > 1 + fitting / 32);
  return best;
}
