import type { Notification, NotifiedChange } from '../model/notification.ts';
import { type ChangeEvent, changeEvent } from './change-event.ts';
import { cutText } from './cut-text.ts';
import { lineOf, linkOf, titleOf } from './notification-message.ts';

/** As many items as fit, from the front. */
export interface Fitting<Item> {
  readonly kept: readonly Item[];
  readonly leftOut: number;
}

/** Items from the front while the sum of their sizes is within `budget`; sizes in whatever the budget is in. */
export function fitItems<Item>(
  items: readonly Item[],
  budget: number,
  sizeOf: (item: Item) => number,
): Fitting<Item> {
  let used = 0;
  let count = 0;
  for (const item of items) {
    used += sizeOf(item);
    if (used > budget) break;
    count += 1;
  }
  return { kept: items.slice(0, count), leftOut: items.length - count };
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

/** `and 23 more changes: https://…`; empty when nothing is left out. */
export function leftOutText(leftOut: number, notification: Notification): string {
  if (leftOut === 0) return '';
  const link = safeUrl(linkOf(notification));
  const what = `and ${leftOut} more change${leftOut === 1 ? '' : 's'}`;
  return link === undefined ? what : `${what}: ${link}`;
}

const LONGEST_LINE = 1_000;
const LONGEST_URL = 2_000;

/** The message in at most `limit` UTF-16 units: title, whole lines, and what is left out. */
export function messageWithin(notification: Notification, limit: number): string {
  const title = cutText(titleOf(notification), Math.floor(limit / 2));
  const lines = notification.changes.map((change) => cutText(lineOf(change), LONGEST_LINE));
  const all = [title, ...lines].join('\n');
  if (all.length <= limit) return all;
  // The longest it can get: the count only shrinks.
  const tail = leftOutText(lines.length, notification).length + 1;
  const { kept, leftOut } = fitItems(lines, limit - title.length - tail, (line) => line.length + 1);
  return cutText([title, ...kept, leftOutText(leftOut, notification)].join('\n'), limit);
}

const MOST_LOCATIONS = 10;
const MOST_STEPS = 30;
const MOST_NAMES = 30;

/** A change with the lists in it cut, so that one finding of a thousand places does not fill an event by itself. */
export function briefEvent(change: NotifiedChange, target: string): ChangeEvent {
  const event = changeEvent(change, target);
  return {
    ...event,
    title: cutText(event.title, LONGEST_LINE),
    advice: event.advice === null ? null : cutText(event.advice, LONGEST_LINE),
    advisories: event.advisories.slice(0, MOST_NAMES),
    locations: event.locations
      .slice(0, MOST_LOCATIONS)
      .map((location) => ({ ...location, dependencyPath: location.dependencyPath.slice(0, MOST_STEPS) })),
  };
}

/** A web address that may be made a link of; anything else, or one too long for a link, is none. */
export function safeUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > LONGEST_URL) return undefined;
  return url.href;
}
