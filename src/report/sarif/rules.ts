import type { ReportingDescriptor, Result } from 'sarif';
import { defined } from '../../model/defined.ts';
import { advisoryNames } from '../../model/scan/advisory-names.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { countedSeverity, type RatedSeverity } from '../../model/scan/severity.ts';
import { ruleTitle } from '../../policy/catalog.ts';
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
  const heading = advisory === undefined ? ruleTitle(rule) : title;
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

/** The help for a person who opens the alert: severity, names, packages, what to do, where to read more. */
function helpMarkdown(finding: Finding, heading: string, own: readonly Finding[]): string {
  const { advisory, rule, severity } = finding;
  const vector = advisory?.vector === undefined ? '' : ` ${markdownCode(advisory.vector)}`;
  const score = advisory?.score === undefined ? '' : ` (CVSS ${advisory.score.toFixed(1)}${vector})`;
  const names = advisoryNames(finding);
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
