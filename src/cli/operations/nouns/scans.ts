import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    list: {
      items: 'scans',
      limit: 50,
      columns: {
        scans: 'requestedAt target state packages unread gaps findings changes reason scan',
      },
    },
    get: {},
    report: { report: 'lockhound.scans.report' },
  },
  examples: `
Examples:
  lockhound scans --since 2h                      recent scans with outcomes, gaps and changes
  lockhound scans --state failed --target shop    failed scans of one target
  lockhound scans get 5f0c…                       one scan: what it waits for, unread lockfiles, deliveries
  lockhound scans report 5f0c… --format sarif     a scan of the last 15 minutes, in every format of \`scan\`

The newest 10,000 scans of the last 30 days are kept. \`lockhound targets report\` reports what is stored of a target at any time.
Exit codes: 0 done, 2 an error, no such scan, or a report that has expired.`,
};
