import { type Compare, positionAfter } from '../fleet/view/sorted-list.ts';
import type { OperationContext } from './context.ts';
import type { MethodId } from './operation.ts';
import { questionOf } from './page-token.ts';
import type { Principal } from './principal.ts';
import { Refusal } from './refusal.ts';

interface PageParams {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
  readonly skip?: number | undefined;
}

/** The question for a page of a list. */
export interface PageQuestion {
  readonly method: MethodId;
  readonly params: PageParams;
  readonly principal: Pick<Principal, 'scope'>;
}

const PAGE_SIZE = 100;

/** The size of a page, the place after which it begins, and the token of the page after an entry. */
export function pageOf<Place>(
  { tokens }: Pick<OperationContext, 'tokens'>,
  { method, params, principal }: PageQuestion,
) {
  const question = questionOf(method, params, principal.scope);
  const { pageSize: size = PAGE_SIZE, pageToken, skip = 0 } = params;
  if (pageToken !== undefined && skip > 0) {
    throw new Refusal(400, 'invalid-parameter', 'skip and pageToken exclude each other');
  }
  return {
    size,
    skip,
    /** Throws `Refusal` for a token that is not of this question. */
    after: pageToken === undefined ? undefined : (tokens.read(question, pageToken) as Place),
    tokenAfter: (place: Place) => tokens.create(question, place),
  };
}

/** One page of a sequence, and the token of the next page when there are further entries. */
export async function takePage<Item, Place>(
  items: AsyncGenerator<Item>,
  { size, tokenAfter }: { readonly size: number; readonly tokenAfter: (place: Place) => string },
  placeOf: (item: Item) => Place,
): Promise<{ readonly items: readonly Item[]; readonly next: { readonly nextPageToken?: string } }> {
  const taken: Item[] = [];
  for await (const item of items) {
    const last = taken.at(-1);
    if (taken.length === size && last !== undefined) {
      return { items: taken, next: { nextPageToken: tokenAfter(placeOf(last)) } };
    }
    taken.push(item);
  }
  return { items: taken, next: {} };
}

/** Returns a page of a sorted list in memory, and the number of all entries. */
export function pageOfList<Item extends Place, Place>(
  list: readonly Item[],
  { size, skip, after, tokenAfter }: ReturnType<typeof pageOf<Place>>,
  { compare, placeOf }: { readonly compare: Compare<Place>; readonly placeOf: (item: Item) => Place },
) {
  const from = after === undefined ? skip : positionAfter(list, after, compare);
  const items = list.slice(from, from + size);
  const last = items.at(-1);
  const isEnd = last === undefined || from + size >= list.length;
  return { items, total: list.length, next: isEnd ? {} : { nextPageToken: tokenAfter(placeOf(last)) } };
}

/** The items of a sequence that fit. */
export async function* filterItems<Item>(
  items: AsyncGenerator<Item>,
  fits: (item: Item) => boolean,
): AsyncGenerator<Item> {
  for await (const item of items) if (fits(item)) yield item;
}
