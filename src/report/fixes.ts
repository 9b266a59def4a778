import type { AppliedFix } from '../model/advice/applied-fix.ts';
import type { FixChange } from '../model/advice/fix.ts';
import type { FixPlan, FixStep, RemovalPlan, Staying, Unadvised } from '../model/advice/fix-plan.ts';
import { printable } from '../model/printable.ts';
import type { Finding } from '../model/scan/finding.ts';
import { faultsIn } from '../model/scan/gap.ts';
import { isAdvisable } from '../model/scan/is-alert.ts';
import type { ScanReport, Verdict } from '../model/scan/verdict.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from './layout.ts';

/** A scan with the plans for its lockfiles. */
export interface AdvisedReport {
  readonly report: ScanReport;
  readonly plans: readonly FixPlan[];
  readonly removals: readonly RemovalPlan[];
  /** The result of `--apply`. */
  readonly applied?: AppliedFix | undefined;
}

const SHOWN_UNADVISED = 10;
/** Packages that a line names. */
const SHOWN_ALIKE = 3;

/** The look of a text. */
interface Page {
  readonly paint: Palette;
  readonly width: number;
}

/** The text about changes of each lockfile, the step that clears most findings first, then what stays. */
export function fixesText({ report, plans, removals }: AdvisedReport, options: TextOptions): string {
  const paint = palette(options.colour);
  const page = { paint, width: options.width };
  const lines = [
    ...plans.filter(saysSomething).flatMap((plan) => [...planLines(plan, page), '']),
    ...removals.flatMap((one) => removalLines(one, page)),
    ...unadvisedLines(report.advice?.unadvised ?? [], paint),
    ...gapLines(report, paint),
    summaryLine(report, plans, paint),
  ];
  return fitLines(lines, options);
}

/** A plan without look-ups is empty. */
function saysSomething({ steps, breaking, stays }: FixPlan): boolean {
  return steps.length + breaking.steps.length + stays.length > 0;
}

function planLines({ path, steps, commands, breaking, stays }: FixPlan, page: Page): readonly string[] {
  return [
    page.paint.strong(printable(path)),
    ...steps.flatMap((step, index) => stepLines(step, index, page)),
    ...runLines(steps, commands, page),
    ...(breaking.steps.length > 0 ? ['', ...hang('  ', page.paint.strong(BREAKING), page.width)] : []),
    ...breaking.steps.flatMap((step, index) => stepLines(step, steps.length + index, page)),
    ...runLines(breaking.steps, breaking.commands, page),
    ...(stays.length > 0 ? ['', '  What stays:', ...stays.flatMap((one) => stayLines(one, page))] : []),
  ];
}

const BREAKING = 'To another major line, which can need changes of your code (after the others):';

function runLines(steps: readonly FixStep[], commands: readonly string[], page: Page): readonly string[] {
  if (commands.length === 0) return [];
  const lead = `  ${steps.length > 1 ? 'All together:' : 'Run:'}`;
  return ['', lead, ...commands.flatMap((line) => commandLines(line, page))];
}

const COMMAND_INDENT = '    ';

/** A text in quotes is a part of one word. */
const WORDS = /(?:'[^']*'|[^' ])+/g;

/** A command that is wider than the terminal continues on the next line as a shell reads it. */
function commandLines(command: string, { paint, width }: Page): readonly string[] {
  const text = printable(command);
  if (text.startsWith('#')) return hang(COMMAND_INDENT, paint.faint(text), width);
  const room = Math.max(width - 2 * COMMAND_INDENT.length - 2, 1);
  const lines: string[] = [];
  for (const word of text.match(WORDS) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => {
    const indent = index === 0 ? COMMAND_INDENT : COMMAND_INDENT.repeat(2);
    return `${indent}${paint.good(index < lines.length - 1 ? `${line} \\` : line)}`;
  });
}

function stepLines({ changes, clears }: FixStep, index: number, { paint, width }: Page): readonly string[] {
  const findings = clears.reduce((sum, one) => sum + one.findings, 0);
  const cleared = clears.map(({ id }) => printable(id)).join(', ');
  const lead = `${String(index + 1).padStart(3)}. `;
  return [
    ...hang(lead, paint.strong(changes.map(changeText).join(', ')), width),
    ...hang('     ', paint.faint(`clears ${counted(findings, 'finding')}: ${cleared}`), width),
  ];
}

/** Made after the plan of the same lockfile. */
function removalLines({ path, removes, commands }: RemovalPlan, page: Page): readonly string[] {
  const entries = removes.flatMap(({ path: file, line, subject, evidence }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return hang('  ', printable(`${place} ${subject}: ${evidence}`), page.width);
  });
  const run = commands.flatMap((line) => commandLines(line, page));
  return [page.paint.strong(printable(`${path}: exceptions that change nothing`)), ...entries, ...run, ''];
}

/** A change in words: `upgrade lodash 4.17.20 → 4.17.21`. */
export function changeText({ how, name, from, to }: FixChange): string {
  return `${how} ${printable(`${name} ${from} → ${to ?? 'removed'}`)}`;
}

function stayLines(
  { id, findings, kind, reason, until }: Staying,
  { paint, width }: Page,
): readonly string[] {
  const when = until === undefined ? '' : `, until ${until.slice(0, 10)}`;
  const lead = `    ${printable(id)}  ${counted(findings, 'finding')}  `;
  return hang(lead, printable(`${kind}: ${reason}${when}`), width).map((line) => paint.faint(line));
}

function unadvisedLines(unadvised: readonly Unadvised[], paint: Palette): readonly string[] {
  if (unadvised.length === 0) return [];
  const alike = [...Map.groupBy(unadvised, ({ path, reason }) => `${path}\n${reason}`).values()];
  const rest = alike.slice(SHOWN_UNADVISED).flat().length;
  return [
    paint.bad(`${counted(unadvised.length, 'gap')} in the advice`),
    ...alike.slice(0, SHOWN_UNADVISED).map(unadvisedLine),
    ...(rest > 0 ? [`  … and ${rest} more (--json lists all)`] : []),
    '',
  ];
}

/** Packages of one lockfile that have no advice for the same reason. */
function unadvisedLine(alike: readonly Unadvised[]): string {
  const [{ path, reason } = { path: '', reason: '' }] = alike;
  const ids = alike.map(({ id }) => id).filter(Boolean);
  const more = ids.length > SHOWN_ALIKE ? ` and ${ids.length - SHOWN_ALIKE} more` : '';
  const place = [path, ids.slice(0, SHOWN_ALIKE).join(', ')].filter(Boolean).join(' ');
  return `  ${printable(place)}${more}: ${printable(reason)}`;
}

function gapLines({ verdict }: ScanReport, paint: Palette): readonly string[] {
  const gaps = faultsIn(verdict.gaps).length;
  if (gaps === 0) return [];
  return [paint.bad(`The scan is incomplete: ${counted(gaps, 'gap')}. \`lockhound scan\` lists them.`)];
}

function summaryLine({ verdict, advice }: ScanReport, plans: readonly FixPlan[], paint: Palette): string {
  const advised = verdict.findings.filter(isAdvisable);
  if (advised.length === 0) return withoutFindings(verdict, paint);
  const sum = (counts: readonly { readonly findings: number }[]) =>
    counts.reduce((all, one) => all + one.findings, 0);
  const cleared = (steps: readonly FixStep[]) => sum(steps.flatMap(({ clears }) => clears));
  const steps = plans.flatMap((plan) => plan.steps);
  const breaking = plans.flatMap((plan) => plan.breaking.steps);
  const stays = sum(plans.flatMap((plan) => plan.stays));
  const changes = steps.flatMap((step) => step.changes).length;
  const others = breaking.length === 0 ? '' : `, upgrades to another major line ${cleared(breaking)} more`;
  const unplanned = countUnplanned(advised, plans);
  const why = (advice?.unadvised ?? []).length === 0 ? '' : ', because of the gaps in the advice';
  const rest = unplanned === 0 ? '' : `; ${unplanned} ${unplanned === 1 ? 'has' : 'have'} no advice${why}`;
  const isByOsv = advised.some(({ fixes = [] }) => fixes.some(({ evidence }) => evidence.from === 'osv'));
  const source = isByOsv ? ' OSV names the fixed versions.' : '';
  return `${paint.strong(`${counted(changes, 'change')} ${changes === 1 ? 'clears' : 'clear'} ${counted(cleared(steps), 'finding')}`)}${others}; ${stays} ${stays === 1 ? 'stays' : 'stay'}${rest}.${source}`;
}

/** The text about packages without findings. Nothing is known of those that were not resolved. */
function withoutFindings({ counts, gaps }: Verdict, paint: Palette): string {
  const { resolved } = counts.outcomes;
  const packages = counted(resolved, 'package');
  const others = counts.packages - resolved;
  const rest = others === 0 ? '' : `; nothing is known of ${others} ${others === 1 ? 'other' : 'others'}`;
  return faultsIn(gaps).length === 0
    ? `${paint.good('Nothing to fix')}: no advisory affects ${packages}${rest}.`
    : `${paint.bad(`No advisory is known to affect ${packages}, but the scan is incomplete`)}${rest}.`;
}

/** Findings that are in no number of a plan, once for each lockfile, as plans count them. */
function countUnplanned(findings: readonly Finding[], plans: readonly FixPlan[]): number {
  const planned = new Set(plans.map(({ path }) => path));
  return findings.flatMap(({ locations, fixes = [] }) => {
    const advised = new Set(fixes.map(({ path }) => path).filter((path) => planned.has(path)));
    return [...new Set(locations.map(({ path }) => path))].filter((path) => !advised.has(path));
  }).length;
}

/** The plans and all findings with the evidence of their fixes, as one JSON document on one line. */
export function fixesJson({ report, plans, removals, applied }: AdvisedReport): string {
  const { unadvised = [] } = report.advice ?? {};
  const { scan, target, complete, findings, gaps } = report.verdict;
  const advised = findings.filter(isAdvisable);
  return `${JSON.stringify({ schema: 'lockhound.fix/1', scan, target, complete, plans, removals, findings: advised, unadvised, gaps, applied })}\n`;
}
