import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    list: {
      items: 'scans',
      limit: 100,
      columns: {
        scans: 'target at labels scan changes omitted',
        changes: 'transition severity purl advisory rule level title',
      },
    },
  },
  examples: `
Examples:
  lockhound changes --since 7d                         what opened, worsened, resolved and reopened
  lockhound changes --since 1d --severity high --label team=web
  lockhound changes --target org/shop --since 2026-05-01T08:00Z --json

\`lockhound targets report <target> --since 7d\` compares a target with what it was. Changes are kept for 90 days, the worst 1,000 of each
scan.
Exit codes: 0 done, 2 an error or an incomplete result.`,
};
