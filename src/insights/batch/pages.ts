import type { Answer, ContractProblem } from '../answered.ts';
import type { BatchPage } from './engine.ts';

/** One entry of a batch's answer. */
export interface PageEntry<Entry> {
  readonly entry: Entry;
  /** The entry as it came. */
  readonly raw: unknown;
  /** What of it does not fit and is not in `entry`; paths begin at the page. */
  readonly problems: readonly ContractProblem[];
}

const NONE: readonly ContractProblem[] = [];

/** A page of any of the three batches, each problem beside the entry it is about. */
export function readPage<Entry>(
  answer: Answer<{ readonly responses?: readonly Entry[]; readonly nextPageToken?: string }>,
): BatchPage<PageEntry<Entry>> {
  const { value, problems, raw } = answer;
  const { responses = [], nextPageToken = '' } = value;
  const byEntry = Map.groupBy(problems, ({ path }) => entryOf(path));
  const rawEntries = (raw as { readonly responses?: readonly unknown[] }).responses;
  return {
    responses: responses.map((entry, index) => ({
      entry,
      raw: rawEntries?.[index],
      problems: byEntry.get(index) ?? NONE,
    })),
    nextPageToken,
    ...(byEntry.has(undefined) ? { problems: byEntry.get(undefined) ?? NONE } : {}),
  };
}

function entryOf(path: string): number | undefined {
  const index = /^\$\.responses\[(\d+)\]/.exec(path)?.[1];
  return index === undefined ? undefined : Number(index);
}
