import { isObject } from '../../model/json-object.ts';
import { answerText } from '../../report/answer.ts';
import type { TextOptions } from '../../report/layout.ts';
import type { View } from './noun.ts';

/** Entries of a list that are shown without `--verbose`, and of a list in an entry. */
const SHOWN = 50;
const SHOWN_IN_ENTRY = 20;

/** The part of an answer that is shown without `--verbose`. `isLimited`: its caller has said how many entries it has. */
export function shortAnswer(
  answer: Readonly<Record<string, unknown>>,
  { shown }: Pick<View, 'shown'>,
  isLimited: boolean,
): unknown {
  return shorten(shown?.(answer) ?? answer, isLimited ? Number.POSITIVE_INFINITY : SHOWN);
}

/** A value that no schema describes as text, its lists with these columns. */
export function columnsText(value: object, columns: View['columns'] & {}, options: TextOptions): string {
  const answer = { schema: {}, schemas: {}, leavesOut: true, columns };
  return answerText(shortAnswer({ ...value }, {}, true), answer, options);
}

/** A value with at most so many entries of a list. */
function shorten(value: unknown, most: number): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]): (readonly [string, unknown])[] => {
      if (!Array.isArray(one)) return [[name, shorten(one, most)]];
      const listed = one.slice(0, most).map((entry) => shorten(entry, SHOWN_IN_ENTRY));
      const rest = one.length - listed.length;
      return [[name, listed], ...(rest > 0 ? [[`further ${name} (see --json)`, rest] as const] : [])];
    }),
  );
}
