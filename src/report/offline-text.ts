import type { ScanReport } from '../model/scan/verdict.ts';

/** How old the answers of a scan without network are. */
export function offlineText({ oldest, newest }: NonNullable<ScanReport['offline']>): string {
  return `Offline: nothing was requested. Its look-ups are from ${oldest} to ${newest}; later advisories are unknown.`;
}
