import type { WhereAnswer } from '../../model/api/lockhound-api.generated.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import type { ShownTarget } from '../../model/fleet/listed-target.ts';
import { type DataLoss, lossText } from '../../model/losses/evidence.ts';
import type { MethodId } from '../../operations/operation.ts';
import { findingCountText, findingListText, findingText } from '../../report/findings.ts';
import type { TextOptions } from '../../report/layout.ts';
import { type WhereList, whereText } from '../../report/packages.ts';
import { forgottenTargetText, inventoryText, targetListText, targetText } from '../../report/targets.ts';
import type { ParameterTexts } from './caller.ts';

export interface ViewOptions extends TextOptions {
  /** Most entries that are shown. */
  readonly limit: number;
  /** What was asked for. */
  readonly params: ParameterTexts;
}

/** What the document cannot say of an operation on the command line. */
export interface View {
  /** The answer for people. */
  // biome-ignore lint/suspicious/noExplicitAny: the answer of the method
  readonly text: (answer: any, options: ViewOptions) => string;
  /** Parameters that are arguments, in addition to those of the path. */
  readonly args?: readonly string[];
  /** Whether there is what was asked for; otherwise the exit code is 1. */
  // biome-ignore lint/suspicious/noExplicitAny: the answer of the method
  readonly isFound?: (answer: any) => boolean;
  /** The property of the answer that is a list. */
  readonly items?: string;
  /** Entries that are shown as text, without `--limit`. */
  readonly limit?: number;
  /** Entries that are asked for to show `limit` of what they are grouped by. */
  readonly most?: number;
  /** The method that renders reports of what fits. */
  readonly report?: MethodId;
  /** What is asked before it happens. */
  readonly question?: (params: ParameterTexts) => string;
}

/** A noun on the command line. Its first verb is that of `lockhound <noun>`. */
export interface Noun {
  /** Name of its methods. Default: its own. */
  readonly resource?: string;
  readonly verbs: Readonly<Record<string, View>>;
  readonly examples: string;
}

export const NOUNS: Readonly<Record<string, Noun>> = {
  findings: {
    verbs: {
      list: {
        items: 'findings',
        limit: 50,
        most: 50_000,
        report: 'lockhound.findings.report',
        text: (list: Parameters<typeof findingListText>[0], options) =>
          findingListText({ ...list, limit: options.limit }, options),
      },
      count: { text: findingCountText },
      get: { text: (one: FleetFinding, options) => findingText(one, options) },
    },
    examples: `
Examples:
  lockhound findings --severity high                   severe open findings of all targets, by issue
  lockhound findings --target org/shop --state all     everything about one target
  lockhound findings --rule vulnerability --since 1d   what opened or changed in the last day
  lockhound findings --json --label team=web           for programs: the answer of the API
  lockhound findings --target org/shop --format sarif  a report as of a scan, from what is stored
  lockhound findings --report html=fleet.html          the list, and a report in a file
  lockhound findings --server https://lockhound.example.com

Reports other than the table, JSON and NDJSON also contain the packages of these targets.
Exit codes: 0 done, 2 an error, no such target, or an incomplete result.`,
  },
  targets: {
    verbs: {
      list: { items: 'targets', limit: 100, text: targetListText },
      get: { text: (target: ShownTarget, options) => targetText(target, options) },
      inventory: { items: 'packages', limit: 200, text: inventoryText },
      forget: {
        text: forgottenTargetText,
        question: ({ target }) => `Remove all that is stored of target ${target}?`,
      },
      acceptCorrections: {
        text: ({ accepted }: { readonly accepted: readonly DataLoss[] }) =>
          accepted.map((loss) => `${lossText(loss)}\n`).join(''),
      },
    },
    examples: `
Examples:
  lockhound targets --worst high --label team=web      targets of one team with severe open findings
  lockhound targets get org/shop                       lockfiles, last scans, open findings, deliveries
  lockhound targets inventory org/shop --search lodash the packages of its lockfile
  lockhound targets forget org/old-shop                remove all that is stored of a target
  lockhound targets accept-corrections --author sam    the index withdrew hundreds of advisories rightly

Nothing else removes a target. A scan that a worker judges after \`forget\` is a first scan.
Exit codes: 0 done, 1 not confirmed, 2 an error, no such target, or an incomplete result.`,
  },
  where: {
    resource: 'packages',
    verbs: {
      where: {
        args: ['package', 'range'],
        limit: 50,
        isFound: ({ targets }: WhereAnswer) => targets > 0,
        text: (answer: WhereAnswer, { params, ...options }) => {
          const query = [params['package'], params['range']].join(' ').trim();
          return whereText({ ...(answer as unknown as WhereList), query }, options);
        },
      },
    },
    examples: `
Examples:
  lockhound where lodash                       every target with any version of lodash
  lockhound where 'lodash@<4.17.21'            a range, in the notation of npm
  lockhound where pkg:pypi/urllib3 '>=1.26,<2' a purl, and a range in the notation of Python
  lockhound where lodash --label team=web      only targets of one team

Names may have any spelling that their ecosystem takes as the same (\`Flask_Cors\` is \`flask-cors\` on PyPI).
Ranges: npm, cargo and golang (notation of npm), pypi (PEP 440), gem (\`~> 1.2\`). Versions of other ecosystems have
to be equal. Prereleases are in ranges.
Exit codes: 0 found, 1 no target holds it, 2 an error or an incomplete result.`,
  },
};
