import type { FeedHead } from '../../model/exploits/feed-head.ts';
import { printable } from '../../model/printable.ts';
import { columns, counted, fitLines, type TextOptions } from '../layout.ts';
import { palette } from '../palette.ts';

interface Imported {
  readonly head: FeedHead;
  readonly problems: readonly string[];
  readonly places: readonly string[];
  readonly newlyListed: number;
}

interface Place {
  readonly place: string;
  readonly use: 'scan' | 'workers';
  readonly lists: readonly FeedHead[];
  readonly fault?: string;
}

/** What an import stored, with the first malformed entries. */
export function importedText(
  { head, problems, places, newlyListed }: Imported,
  options: TextOptions,
): string {
  const paint = palette(options.colour);
  const { feed, date, entries, rejected } = head;
  const more = rejected - problems.length;
  return fitLines(
    [
      `${paint.strong(`${feed}: ${counted(entries, 'entry', 'entries')}`)} of ${day(date)}, stored in ${places.map(printable).join(' and in ')}`,
      ...(rejected === 0 ? [] : [paint.bad(`${counted(rejected, 'entry', 'entries')} cannot be read:`)]),
      ...problems.map((problem) => `  ${printable(problem)}`),
      ...(more > 0 ? [`  … and ${more} more`] : []),
      ...(newlyListed === 0
        ? []
        : [`${counted(newlyListed, 'advisory', 'advisories')} newly listed: their targets are judged again`]),
    ],
    options,
  );
}

/** The stored lists by place, with their dates. */
export function storedListsText(places: readonly Place[], options: TextOptions): string {
  const paint = palette(options.colour);
  const lines = places.flatMap(({ place, use, lists, fault }) => [
    `${paint.strong(printable(place))} ${paint.faint(`(for ${use === 'scan' ? '`lockhound scan`' : 'workers'})`)}`,
    ...(fault === undefined ? [] : [`  ${paint.bad(printable(fault))}`]),
    ...(lists.length === 0 && fault === undefined
      ? ['  no list: import one with `lockhound data import`']
      : columns(lists.map(rowOf), { width: options.width, indent: '  ' })),
  ]);
  return fitLines(lines, options);
}

function rowOf({ feed, date, entries, rejected, source, importedAt }: FeedHead): readonly string[] {
  const unread = rejected === 0 ? '' : `, ${rejected} not readable`;
  return [
    feed,
    `of ${day(date)}`,
    `${counted(entries, 'entry', 'entries')}${unread}`,
    `imported ${importedAt.slice(0, 16)}Z from ${printable(source)}`,
  ];
}

function day(date: string): string {
  return date.slice(0, 10);
}
