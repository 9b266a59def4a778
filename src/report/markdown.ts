import type { PackageCheck, PackageChecks } from '../model/api/lockhound-api.generated.ts';
import { splitFindings } from '../model/review/scan-comparison.ts';
import { termText } from '../model/scan/age.ts';
import { disputeText } from '../model/scan/claim.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Gap } from '../model/scan/gap.ts';
import { isAlert, isNote } from '../model/scan/is-alert.ts';
import { OUTCOMES } from '../model/scan/outcome.ts';
import { SEVERITIES } from '../model/scan/severity.ts';
import type { ScanReport, Verdict } from '../model/scan/verdict.ts';
import { suppressionText } from './finding-parts.ts';
import { reasonText } from './gate-text.ts';
import { counted } from './layout.ts';
import { markdownCode, markdownLink, markdownSentence, markdownText } from './markdown-text.ts';
import { comparisonSummary } from './review/comparison-text.ts';
import { imageText, noFindings, offlineText } from './scan-parts.ts';

/** Longest text of a comment on a pull request, with room for what a host adds. */
const MAX_CHARACTERS = 65_000;
/** Findings outside the fold. */
const SHOWN_FINDINGS = 20;
const SHOWN_LOCATIONS = 3;
/** Room for what follows the findings. */
const REST_CHARACTERS = 1_000;

/**
 * The scan as Markdown for a comment on a pull request: the verdict in one line, the worst findings, and the rest folded. At most
 * 65,000 characters: what does not fit is counted. The same report gives the same text. `added`: what the gate says of the packages that a
 * change adds.
 */
export function renderMarkdown(report: ScanReport, added?: PackageChecks): string {
  const { inventory, verdict, comparison, offline } = report;
  const { counting, known } = splitFindings(verdict.findings, comparison);
  const alerts = counting.filter(isAlert);
  const notes = counting.filter(isNote);
  const text = createText(MAX_CHARACTERS - REST_CHARACTERS);
  const blocked = added?.counts.block ?? 0;
  const gate = blocked > 0 ? `⛔ ${counted(blocked, 'added package')} blocked. ` : '';
  text.add(`### ${gate}${headline(report, alerts)}`, '');
  if (comparison !== undefined) text.add(markdownText(comparisonSummary(verdict, comparison)), '');
  const image = imageText(verdict);
  if (image !== undefined) text.add(markdownText(image), '');
  if (offline !== undefined) text.add(`> ${offlineText(offline)}`, '');
  if (!verdict.complete) {
    text.add(
      '> **Incomplete**: what could not be found out is listed below. Nothing was resolved for lack of an answer.',
      ...verdict.gaps.flatMap(({ kind, reason }) => (kind === 'cut' ? `> ${markdownText(reason)}` : [])),
      '',
    );
  }
  const shown = alerts.slice(0, SHOWN_FINDINGS);
  addTable(text, shown);
  if (added !== undefined) addChecks(text, added);
  addFolded(text, `${counted(alerts.length - shown.length, 'more finding')}`, alerts.slice(SHOWN_FINDINGS));
  addFolded(text, counted(notes.length, 'note'), notes);
  const suppressed = counting.filter((finding) => finding.suppressed !== undefined);
  addFolded(text, `${suppressed.length} suppressed`, suppressed);
  addUnused(text, verdict.unusedSuppressions ?? []);
  addFolded(text, `${counted(comparison?.gone.length ?? 0, 'finding')} gone`, comparison?.gone ?? []);
  addFolded(text, `${counted(known.length, 'finding')} unchanged`, known);
  addGaps(text, verdict.gaps);
  const { packages, outcomes } = verdict.counts;
  const listed = OUTCOMES.filter((outcome) => outcomes[outcome] > 0).map(
    (outcome) => `${outcomes[outcome]} ${outcome}`,
  );
  const files = `${counted(packages, 'package')} in ${counted(inventory.lockfiles.length, 'lockfile')}`;
  const outcome = listed.length === 0 ? '' : ` (${listed.join(', ')})`;
  return `${text.text()}\n<sub>Lockhound: ${files}${outcome}</sub>\n`;
}

function headline(report: ScanReport, alerts: readonly Finding[]): string {
  const fresh = report.comparison === undefined ? '' : 'new ';
  if (alerts.length === 0) {
    const { text, isClean } = noFindings(report);
    return `${isClean ? '✅' : '⚠️'} ${text}`;
  }
  const bySeverity = Map.groupBy(alerts, ({ severity }) => severity);
  const parts = SEVERITIES.flatMap((severity) => {
    const count = bySeverity.get(severity)?.length;
    return count === undefined ? [] : `${count} ${severity}`;
  });
  return `${counted(alerts.length, `${fresh}finding`)}: ${parts.join(', ')}`;
}

/** Lines up to a number of characters. */
function createText(limit: number) {
  const lines: string[] = [];
  const leftOut: string[] = [];
  let length = 0;
  return {
    /** Says at the end that a part has no room. */
    leaveOut: (part: string) => void leftOut.push(part),
    /** Adds all lines or, when they do not fit, none. */
    add(...added: readonly string[]): boolean {
      const more = added.reduce((sum, line) => sum + line.length + 1, 0);
      if (length + more > limit) return false;
      lines.push(...added);
      length += more;
      return true;
    },
    text: () =>
      [...lines, ...(leftOut.length > 0 ? [`No room for: ${leftOut.join('; ')}.`, ''] : [])].join('\n'),
  };
}

type Text = ReturnType<typeof createText>;

const HEAD = ['| Severity | Package | Issue | Where |', '|---|---|---|---|'];

/** Adds a table of findings, as far as it fits. */
function addTable(text: Text, findings: readonly Finding[]): void {
  if (findings.length > 0 && text.add(...HEAD)) addRows(text, findings, row);
}

/** Adds a line for each item that fits, and the number of the others. */
function addRows<Item>(text: Text, items: readonly Item[], lineOf: (item: Item) => string): void {
  const left = items.findIndex((item) => !text.add(lineOf(item)));
  text.add('');
  if (left >= 0) text.add(`… and ${items.length - left} more.`, '');
}

/** Adds what `content` adds, folded below its summary. */
function fold(text: Text, summary: string, content: () => void): void {
  if (!text.add(`<details><summary>${summary}</summary>`, '')) {
    text.leaveOut(summary);
    return;
  }
  content();
  text.add('</details>', '');
}

function addFolded(text: Text, summary: string, findings: readonly Finding[]): void {
  if (findings.length > 0) fold(text, summary, () => addTable(text, findings));
}

function row(finding: Finding): string {
  const { severity, advisory, title, advice, level } = finding;
  const score = advisory?.score === undefined ? '' : ` ${advisory.score.toFixed(1)}`;
  const name = markdownCode(`${finding.package.name}@${finding.package.version}`);
  const link = advisory === undefined ? '' : `${markdownLink(advisory.id, advisory.url)} `;
  const issue = link + markdownText(title);
  const reason = finding.suppressed === undefined ? advice : suppressionText(finding.suppressed);
  const disputed = finding.disputed === undefined ? '' : disputeText(finding.disputed);
  const lines = [termText(finding), disputed, reason ?? ''].filter((line) => line !== '');
  const todo = lines.map((line) => `<br>${markdownSentence(line)}`).join('');
  return `| ${level === 'note' ? 'note' : `${severity}${score}`} | ${name} | ${issue}${todo} | ${placesOf(finding)} |`;
}

function placesOf({ locations }: Finding): string {
  const shown = locations.slice(0, SHOWN_LOCATIONS).map(({ path, line, dependencyPath }) => {
    const place = markdownCode(line === undefined ? path : `${path}:${line}`);
    const way = dependencyPath.length < 2 ? '' : `<br>${dependencyPath.map(markdownCode).join(' › ')}`;
    return `${place}${way}`;
  });
  const rest = locations.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('<br>');
}

function addUnused(text: Text, unused: NonNullable<Verdict['unusedSuppressions']>): void {
  if (unused.length === 0) return;
  fold(text, `${counted(unused.length, 'suppression')} without effect`, () =>
    addRows(text, unused, ({ id, reason }) => `- ${markdownCode(id)}: ${markdownText(reason)}`),
  );
}

function addGaps(text: Text, gaps: readonly Gap[]): void {
  if (gaps.length === 0) return;
  const lineOf = ({ kind, subject, reason }: Gap) =>
    `- ${kind} ${markdownCode(subject)}: ${markdownText(reason)}`;
  fold(text, `${counted(gaps.length, 'gap')}: what could not be found out`, () =>
    addRows(text, gaps, lineOf),
  );
}

/** Adds the gate's answers about added packages: a row for each that is not allowed, blocked ones first. */
function addChecks(text: Text, { packages, counts: { allow, warn, block } }: PackageChecks): void {
  const counts = `${allow} allowed, ${warn} with a warning, ${block} blocked`;
  text.add(`**Added packages** (\`policy.gate\`): ${counts}`, '');
  const { block: blocked = [], warn: warned = [] } = Object.groupBy(packages, ({ decision }) => decision);
  const shown = [...blocked, ...warned];
  if (shown.length > 0 && text.add('| Gate | Package | Reasons |', '|---|---|---|'))
    addRows(text, shown, checkRow);
}

function checkRow({ requested, decision, reasons }: PackageCheck): string {
  const own = reasons.filter((one) => one.decision !== 'allow');
  const why = own.map((one) => markdownText(reasonText(one))).join('<br>');
  return `| ${decision} | ${markdownCode(requested)} | ${why} |`;
}
