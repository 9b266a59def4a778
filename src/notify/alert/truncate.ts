import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Alert } from './alert.ts';
import { type ChangeEvent, changeEvent } from './change-event.ts';
import { leftOutText, lineOf, titleOf } from './message.ts';
import { truncateText } from './truncate-text.ts';

/** What is made of changes, worst first, while the sum of the sizes is within a budget. */
export interface Fitting<Item> {
  readonly kept: readonly Item[];
  /** Changes that are not told: those that do not fit, and those that the alert left out. */
  readonly leftOut: number;
}

/** Makes items of the alert's changes, worst first, as many as fit and no more; sizes in whatever the budget is in. */
export function fitChanges<Item>(
  alert: Alert,
  make: (change: NotifiedChange) => Item,
  budget: number,
  sizeOf: (item: Item) => number,
): Fitting<Item> {
  const kept: Item[] = [];
  let used = 0;
  for (const change of alert.ranked()) {
    const item = make(change);
    used += sizeOf(item);
    if (used > budget) break;
    kept.push(item);
  }
  return { kept, leftOut: alert.totals.changes - kept.length };
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

const LONGEST_LINE = 1_000;

/** The message in at most `limit` UTF-16 units: title, whole lines, and what is left out. */
export function messageWithin(alert: Alert, limit: number): string {
  const title = truncateText(titleOf(alert), Math.floor(limit / 2));
  // The longest it can get: the count only shrinks.
  const tail = leftOutText(alert.totals.changes, alert).length + 1;
  const within = (room: number) =>
    fitChanges(
      alert,
      (change) => truncateText(lineOf(change), LONGEST_LINE),
      room - title.length,
      (line) => line.length + 1,
    );
  const whole = within(limit);
  const { kept, leftOut } = whole.leftOut === 0 ? whole : within(limit - tail);
  const rest = leftOut === 0 ? [] : [leftOutText(leftOut, alert)];
  return truncateText([title, ...kept, ...rest].join('\n'), limit);
}

const MOST_LOCATIONS = 10;
const MOST_STEPS = 30;
const MOST_NAMES = 30;

/** A change with the lists in it cut, so that one finding of a thousand places does not fill an event by itself. */
export function briefEvent(change: NotifiedChange, target: string): ChangeEvent {
  const event = changeEvent(change, target);
  return {
    ...event,
    title: truncateText(event.title, LONGEST_LINE),
    advice: event.advice === null ? null : truncateText(event.advice, LONGEST_LINE),
    advisories: event.advisories.slice(0, MOST_NAMES),
    locations: event.locations
      .slice(0, MOST_LOCATIONS)
      .map((location) => ({ ...location, dependencyPath: location.dependencyPath.slice(0, MOST_STEPS) })),
  };
}
