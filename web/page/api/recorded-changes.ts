import type { LedgerScan } from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from './call.ts';

/** Pages of the history in which a scan is looked for, and scans of each. */
const [MAX_PAGES, PAGE_SIZE] = [5, 100];

/** The entry of a scan in the history of its target, which begins with the newest scan. `isCut`: only the newest ones were looked through. */
export async function recordedChanges(
  scan: string,
  target: string,
  since: string,
  signal: AbortSignal,
): Promise<{ readonly found: LedgerScan | undefined; readonly isCut: boolean }> {
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = { target, since, pageSize: PAGE_SIZE, pageToken };
    const { scans, nextPageToken } = await call('lockhound.targets.history', params, { signal });
    const found = scans.find((one) => one.scan === scan);
    pageToken = nextPageToken;
    if (found !== undefined || pageToken === undefined) return { found, isCut: false };
  }
  return { found: undefined, isCut: true };
}
