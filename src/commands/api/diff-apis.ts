import { compareDescriptions } from '../../discovery/compare/descriptions.ts';
import type { ContractDifference } from '../../model/api/contract.ts';
import { openDocuments } from './documents.ts';

export interface DiffOptions {
  readonly before: string;
  readonly after: string;
  readonly directory?: string | undefined;
  readonly signal: AbortSignal;
}

/** The differences between two documents. Throws `ApiError`, `DiscoveryError` and `HttpError`. */
export async function diffApis(options: DiffOptions): Promise<readonly ContractDifference[]> {
  const { before, after, directory, signal } = options;
  const documents = openDocuments({ directory });
  try {
    return compareDescriptions(await documents.load(before, signal), await documents.load(after, signal));
  } finally {
    await documents.close();
  }
}
