import { isObject } from '../../model/json-object.ts';
import { plainText } from '../../report/answer.ts';
import type { TextOptions } from '../../report/layout.ts';
import type { View } from './noun.ts';

/** Entries of a list that are shown without `--verbose`, and of a list in an entry. */
const SHOWN = 50;
const SHOWN_IN_ENTRY = 20;

/** The part of an answer that is shown without `--verbose`. `isLimited`: its caller has said how many entries it has. */
export function shortAnswer(
  answer: Readonly<Record<string, unknown>>,
  { shown, columns = {} }: Pick<View, 'columns' | 'shown'>,
  isLimited: boolean,
): unknown {
  return shorten(shown?.(answer) ?? answer, columns, isLimited ? Number.POSITIVE_INFINITY : SHOWN);
}

/** A value that no schema describes as text, its lists with these columns. */
export function columnsText(value: object, columns: View['columns'] & {}, options: TextOptions): string {
  return plainText(shortAnswer({ ...value }, { columns }, true), options);
}

/** A value with the properties that `columns` names, and with at most so many entries of a list. */
function shorten(value: unknown, columns: View['columns'] & {}, most: number): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]): (readonly [string, unknown])[] => {
      const own = columns[name];
      if (own !== undefined && isObject(one)) return [[name, own.flatMap((key) => one[key] ?? []).join(' ')]];
      if (!Array.isArray(one)) return [[name, shorten(one, columns, most)]];
      const listed = one.slice(0, most).map((entry) => {
        const short = shorten(entry, columns, SHOWN_IN_ENTRY);
        if (own === undefined || !isObject(short)) return short;
        return Object.fromEntries(own.flatMap((key) => (key in short ? [[key, short[key]]] : [])));
      });
      const rest = one.length - listed.length;
      return [[name, listed], ...(rest > 0 ? [[`further ${name} (see --json)`, rest] as const] : [])];
    }),
  );
}
