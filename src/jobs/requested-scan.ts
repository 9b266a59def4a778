import { hash } from 'node:crypto';
import { isObject } from '../model/json-object.ts';
import { notAhead } from '../model/scan/not-ahead.ts';
import { scanIdOf } from '../model/scan/scan-id.ts';

/** What other programs request: a scan of a target, with an id of their choice. */
interface RequestedScan {
  readonly scan: string;
  readonly target: { readonly id: string };
  readonly requestedAt: string;
}

/** The payload with the id that belongs to its target. */
export function withOwnId<Payload extends RequestedScan>(payload: Payload): Payload {
  return { ...payload, scan: scanIdOf(payload.target.id, payload.scan) };
}

/** The same, with a time that is not in the future: one of the year 9999 would supersede every later scan. `now`: ms since 1970. */
export function ownRequest<Payload extends RequestedScan>(payload: Payload, now: number): Payload {
  return { ...withOwnId(payload), requestedAt: notAhead(payload.requestedAt, now) };
}

/**
 * SHA-256, hex, of what is to be scanned: all of the payload but its id and its time. A repetition has the same; another scan with the
 * same id has not.
 */
export function contentOf({ scan: _id, requestedAt: _time, ...content }: RequestedScan): string {
  return hash('sha256', JSON.stringify(content, sorted));
}

function sorted(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
