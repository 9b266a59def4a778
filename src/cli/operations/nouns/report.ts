import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  resource: 'scans',
  verbs: { report: { report: 'lockhound.scans.report' } },
  examples: `
Examples:
  lockhound report 5f0c… --format sarif --output scan.sarif     a scan of the last 15 minutes

\`lockhound targets report\` reports what is stored of a target at any time, \`lockhound findings\` several targets.
Exit codes: 0 done, 2 an error, no such scan, or a report that has expired.`,
};
