import type { ReportingDescriptor, Result } from 'sarif';
import { defined } from '../../model/defined.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { countedSeverity, type RatedSeverity } from '../../model/scan/severity.ts';
import { webAddress } from '../finding-parts.ts';
import { markdownCode, markdownLink, markdownSentence, markdownText } from '../markdown-text.ts';
import { sarifText } from './text.ts';

/** Code scanning refuses longer names of rules. */
const MAX_NAME = 255;
/** Packages whose advice the help of a rule lists. */
const MAX_ADVICE = 20;
/** Characters of the help in Markdown. */
const MAX_HELP = 20_000;

/** The id of a finding's rule: one for each advisory, one for each other rule of Lockhound. */
export function ruleId({ advisory, rule }: Finding): string {
  return advisory?.id ?? rule;
}

/** Rules by id, in the order of the findings, which is the worst first. */
export function rulesOf(findings: readonly Finding[]): ReadonlyMap<string, ReportingDescriptor> {
  const rules = new Map<string, ReportingDescriptor>();
  for (const [id, own] of Map.groupBy(findings, ruleId)) {
    const [worst] = own;
    if (worst !== undefined) rules.set(id, descriptorOf(worst, own));
  }
  return rules;
}

/** The level of a finding. Code scanning shows `error` and `warning` in a pull request. */
export function levelOf(finding: Finding): Result.level {
  return !isAlert(finding) ? 'note' : LEVELS[countedSeverity(finding)];
}

const LEVELS: Readonly<Record<RatedSeverity, Result.level>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  none: 'note',
};

function descriptorOf(finding: Finding, own: readonly Finding[]): ReportingDescriptor {
  const { advisory, rule, title } = finding;
  const heading = advisory === undefined ? (RULE_TITLES[rule] ?? rule) : title;
  const helpUri = webAddress(advisory?.url);
  const help = [heading, finding.advice, helpUri].filter((line) => line !== undefined);
  return {
    id: ruleId(finding),
    name: advisory === undefined ? pascalCase(rule).slice(0, MAX_NAME) : 'VulnerableDependency',
    shortDescription: { text: sarifText(advisory === undefined ? heading : `${advisory.id}: ${title}`) },
    fullDescription: { text: sarifText(heading) },
    ...defined({ helpUri }),
    help: { text: sarifText(help.join('\n')), markdown: helpMarkdown(finding, heading, own) },
    defaultConfiguration: { level: levelOf(finding) },
    properties: {
      tags: ['security', 'supply-chain', rule],
      precision: 'high',
      // Code scanning reads the severity of security rules from here; notes have none, so that they are not alerts.
      ...(isAlert(finding) ? { 'security-severity': scoreOf(finding).toFixed(1) } : {}),
    },
  };
}

/** What code scanning shows as the heading of an alert without an advisory. */
const RULE_TITLES: Readonly<Record<string, string>> = {
  suspicious: 'A locked version shows signs of a compromised release',
  vanished: 'A locked version is no longer in the package index',
  unindexed: 'A locked version is not in the package index',
  deprecated: 'A locked version is deprecated',
  downgraded: 'A package went back below a version that had fixed a finding',
  licenses: 'The licence of a locked version is not permitted',
  'license-changed': 'A locked version has another licence than the one before',
  unwatched: 'The source of a target cannot be read',
  'base-image': 'A container image is built on another public image than before',
  'integrity-mismatch': 'The digest in the lockfile is not that of the version',
  'young-requirement': 'A locked version requires a package that is days old',
  'provenance-lost': 'A locked version has no provenance, and those before it have',
  burst: 'Many versions were published within a short time',
  'look-alike': 'A package is named like one that is used far more',
  'install-script': 'A version runs a script at installation for the first time',
  'capability-gained': 'A module uses the network, programs or the system for the first time',
  withdrawn: 'A locked version was deprecated within days',
  'pulled-siblings': 'The versions just before the locked one were withdrawn',
  revived: 'A locked version was released after years of silence',
  'source-moved': 'A locked version comes from another source project',
  'dependency-changed': 'The requirements of a locked version changed',
  'scorecard-dropped': 'The scorecard of the source project fell',
  'fresh-release': 'A locked version was published days ago',
  unmaintained: 'A package is not maintained',
  behind: 'The locked line of a package has had no release for a year',
  'contract-drift': 'A service that Lockhound uses changed its contract',
  'stale-facts': 'What is known of the packages is out of date',
};

/** What a person reads who opens the alert: severity, names, packages, what to do, where to read more. */
function helpMarkdown(finding: Finding, heading: string, own: readonly Finding[]): string {
  const { advisory, rule, severity } = finding;
  const vector = advisory?.vector === undefined ? '' : ` ${markdownCode(advisory.vector)}`;
  const score = advisory?.score === undefined ? '' : ` (CVSS ${advisory.score.toFixed(1)}${vector})`;
  const names = advisory === undefined ? [] : [advisory.id, ...advisory.aliases];
  const packages = new Map(
    own.map(({ package: { name, version }, advice }) => [`${name}@${version}`, advice]),
  );
  const listed = [...packages].slice(0, MAX_ADVICE).map(([id, advice]) => {
    return `- ${markdownCode(id)}${advice === undefined ? '' : `: ${markdownSentence(advice)}`}`;
  });
  const rest = packages.size - listed.length;
  const lines = [
    `**${markdownText(heading)}**`,
    `Severity: ${severity}${score}`,
    ...(names.length === 0 ? [] : [names.map((name) => markdownCode(name)).join(', ')]),
    [...listed, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n'),
    ...(advisory === undefined ? [] : [`More: ${markdownLink(advisory.id, advisory.url)}`]),
    `Rule of Lockhound: ${markdownCode(rule)}`,
  ];
  return fitting(lines, MAX_HELP);
}

/** The paragraphs that fit. */
function fitting(paragraphs: readonly string[], limit: number): string {
  let length = 0;
  const kept = paragraphs.filter((one) => {
    const fits = length + one.length <= limit;
    if (fits) length += one.length + 2;
    return fits;
  });
  return kept.join('\n\n');
}

/** The score of the advisory, or the middle of the range of its severity. */
function scoreOf(finding: Finding): number {
  return finding.advisory?.score ?? TYPICAL_SCORES[countedSeverity(finding)];
}

const TYPICAL_SCORES: Readonly<Record<RatedSeverity, number>> = {
  critical: 9.5,
  high: 8,
  medium: 5.5,
  low: 2.5,
  none: 0,
};

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
