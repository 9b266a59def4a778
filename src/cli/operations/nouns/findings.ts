import type { Exposure } from '../../../model/api/lockhound-api.generated.ts';
import { issueListText } from '../../../report/findings.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    list: {
      items: 'findings',
      limit: 50,
      table: 'lockhound.findings.issues',
      report: 'lockhound.findings.report',
      text: issueListText,
    },
    count: {},
    breakdown: { args: ['by'], items: 'groups', limit: 50 },
    issues: { items: 'issues', limit: 50, text: issueListText },
    assign: {},
    exposure: {
      args: ['advisory'],
      limit: 50,
      isFound: ({ count }: Exposure) => count > 0,
    },
    get: {},
  },
  examples: `
Examples:
  lockhound findings --severity high                   severe open findings of all targets, by issue
  lockhound findings --target org/shop --state all     everything about one target
  lockhound findings --rule vulnerability --since 1d   what opened or changed in the last day
  lockhound findings issues --by package --order-by targets   what most targets have, with the versions that clear it
  lockhound findings --json --label team=web           for programs: the answer of the API
  lockhound findings --target org/shop --format sarif  a report as of a scan, from what is stored
  lockhound findings --report html=fleet.html          the list, and a report in a file
  lockhound findings exposure CVE-2021-44228 --by team  since when targets held it, when they were alerted, how long it took
  lockhound findings breakdown label:team --severity critical   by team: how many, the oldest, how many are overdue
  lockhound findings --format csv --severity high      for a spreadsheet
  lockhound findings --server https://lockhound.example.com

Reports other than the table, JSON and NDJSON also contain the packages of these targets.
Exit codes: 0 done, 1 no target was exposed, 2 an error, no such target, or an incomplete result.`,
};
