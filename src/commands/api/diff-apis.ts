import { compareDescriptions } from '../../discovery/compare/descriptions.ts';
import type { ContractDifference } from '../../model/api/contract.ts';
import { type DocumentsOptions, withDocuments } from './documents.ts';

export interface DiffOptions extends DocumentsOptions {
  readonly before: string;
  readonly after: string;
}

/** The differences between two documents. Throws `ApiError`, `DiscoveryError` and `HttpError`. */
export async function diffApis(options: DiffOptions): Promise<readonly ContractDifference[]> {
  return withDocuments(options, async ({ load }) =>
    compareDescriptions(await load(options.before), await load(options.after)),
  );
}
