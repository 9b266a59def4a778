import type { ParameterTexts } from '../../operations/call.ts';

type Json = Readonly<Record<string, unknown>>;

/** Asks with further parameters, and other values of properties of the body. */
export type Ask = (more: ParameterTexts, typed?: Json) => Promise<Json>;

/** An answer, and whether its list has further entries. */
export interface Answered {
  readonly answer: Json;
  readonly more: boolean;
}

/** Whether the answer has further entries is not known where a list of it is as long as its limit. */
export async function limitedAnswer(ask: Ask, limit: number): Promise<Answered> {
  const answer = await ask({ limit: String(limit) });
  const lists = Object.values(answer).filter(Array.isArray);
  return { answer, more: lists.some(({ length }) => length === limit) };
}

/** The entries of all pages of a list, or `most` of them. */
export async function joinPages(
  ask: Ask,
  items: string,
  { maxPage, most }: { readonly maxPage: number; readonly most: number },
): Promise<Answered> {
  const all: unknown[] = [];
  for (let pageToken: string | undefined; ; ) {
    const size = Math.min(maxPage, most - all.length);
    const pageSize = Number.isFinite(size) ? String(size) : String(Number.MAX_SAFE_INTEGER);
    const { nextPageToken, ...page } = await ask({ pageSize, pageToken });
    all.push(...(page[items] as readonly unknown[]));
    pageToken = nextPageToken as string | undefined;
    if (pageToken === undefined || all.length >= most)
      return { answer: { ...page, [items]: all }, more: pageToken !== undefined };
  }
}
