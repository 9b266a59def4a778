import { createHash } from 'node:crypto';
import { packageVersion } from '../../files/package-file.ts';
import type { FixPlan, FixStep } from '../../model/advice/fix-plan.ts';
import { splitFindings } from '../../model/review/scan-comparison.ts';
import type { Gap } from '../../model/scan/gap.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { counted } from '../layout.ts';
import { comparisonSummary, comparisonWarnings } from '../review/comparison-text.ts';
import { imageText, nextStep, noFindings, offlineText } from '../scan-parts.ts';
import { SCRIPT, STYLE } from './assets.generated.ts';
import { findingsSection } from './findings.ts';
import { html, type Markup, NOTHING, trusted, withCode } from './markup.ts';
import { packagesSection } from './packages.ts';

/**
 * The scan as one HTML file that needs no network and no server: summary, findings with all ways to each package, upgrade plan, packages by
 * licence and age, and gaps. Everything is readable without the script, which searches, filters and sorts. The policy of the
 * document allows that script and that style sheet by their hashes, and nothing else. The same report gives the same bytes.
 */
export function* renderHtml(report: ScanReport): Generator<string> {
  yield documentHead(report.verdict.target.id).markup;
  yield summarySection(report).markup;
  yield findingsSection(report).markup;
  yield planSection(report).markup;
  yield gapsSection(report).markup;
  yield packagesSection(report).markup;
  yield html`</main>
<footer><p>Lockhound ${packageVersion()}</p></footer>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`.markup;
}

/** The head of a document, to the beginning of its body. */
export function documentHead(title: string): Markup {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(SCRIPT)}'`,
    `style-src '${hashOf(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Lockhound</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Entries of each kind that are listed. */
const MAX_LISTED = 500;

const KINDS: Readonly<Record<Gap['kind'], string>> = {
  lockfile: 'Lockfiles that were not read',
  manifest: 'Manifests without a lockfile',
  entry: 'Parts of lockfiles that were not read',
  detail: 'Facts that lockfiles do not state',
  package: 'Packages that were not looked up',
  coverage: 'Packages that the local data set does not cover',
  service: 'The look-up service',
  source: 'What the sources of the scan do not know',
  advisory: 'Advisories that could not be read',
  dependencies: 'Dependencies that could not be read',
  rule: 'Packages that a rule could not judge',
  image: 'Base images',
  signal: 'Signals that could not be read',
  document: 'Description documents',
  cut: 'Left out of this report',
};

/** The section about gaps of the scan, and suppressions without effect. */
function gapsSection({ verdict }: ScanReport): Markup {
  const { gaps, unusedSuppressions = [] } = verdict;
  if (gaps.length + unusedSuppressions.length === 0) return NOTHING;
  const groups = [...Map.groupBy(gaps, ({ kind }) => kind)];
  return html`<section aria-labelledby="gaps">
<h2 id="gaps">What could not be found out</h2>
${groups.map(([kind, own]) =>
  list(
    KINDS[kind],
    own.map(({ subject, reason }) => [subject, reason]),
  ),
)}
${
  unusedSuppressions.length === 0
    ? NOTHING
    : list(
        'Suppressions without effect',
        unusedSuppressions.map(({ id, reason }) => [id, reason]),
      )
}
</section>
`;
}

function list(title: string, entries: readonly (readonly [subject: string, reason: string])[]): Markup {
  const shown = entries.slice(0, MAX_LISTED);
  const rest = entries.length - shown.length;
  return html`<details class="gap"${entries.length <= 10 ? html` open` : NOTHING}><summary>${title} <span class="faint">${entries.length}</span></summary>
<ul>${shown.map(([subject, reason]) => html`<li><code>${subject}</code> ${reason}</li>`)}</ul>
${restMarkup(rest)}</details>`;
}

/** Entries of each list of a plan. */
const MAX_ENTRIES = 200;

/** The section about changes of each lockfile, the step that clears most findings first, and what stays. */
function planSection({ advice }: ScanReport): Markup {
  if (advice === undefined) return NOTHING;
  const { plans, unadvised } = advice;
  if (plans.length + unadvised.length === 0) return NOTHING;
  const gaps = capped(
    unadvised,
    ({ path, id, reason }) => html`<li><code>${id === '' ? path : `${path} ${id}`}</code> ${reason}</li>`,
  );
  return html`<section aria-labelledby="plan">
<h2 id="plan">Upgrade plan</h2>
${plans.map(planMarkup)}
${unadvised.length === 0 ? NOTHING : html`<details class="gap"><summary>No advice <span class="faint">${unadvised.length}</span></summary>${gaps}</details>`}
</section>
`;
}

/** A list as far as it is shown, and how many entries are not. */
function capped<Entry>(entries: readonly Entry[], markupOf: (entry: Entry) => Markup): Markup {
  return html`<ul>${entries.slice(0, MAX_ENTRIES).map(markupOf)}</ul>${restMarkup(entries.length - MAX_ENTRIES)}`;
}

function restMarkup(rest: number): Markup {
  return rest > 0 ? html`<p>and ${rest} more: the JSON report lists all.</p>` : NOTHING;
}

function planMarkup({ path, steps, commands, breaking, stays }: FixPlan): Markup {
  const staying = capped(
    stays,
    ({ id, findings, reason }) =>
      html`<li><code>${id}</code> ${counted(findings, 'finding')}: ${reason}</li>`,
  );
  return html`<h3><code>${path}</code></h3>
${stepsMarkup({ steps, commands })}
${breaking.steps.length === 0 ? NOTHING : html`<p>To another major line, which can need changes of your code (after the others):</p>${stepsMarkup(breaking)}`}
${stays.length === 0 ? NOTHING : html`<details class="gap"><summary>What stays <span class="faint">${stays.length}</span></summary>${staying}</details>`}`;
}

function stepsMarkup({ steps, commands }: FixPlan['breaking']): Markup {
  return html`${steps.length === 0 ? NOTHING : html`<table class="plan"><thead><tr><th scope="col">Change</th><th scope="col">Clears</th></tr></thead><tbody>${steps.slice(0, MAX_ENTRIES).map(stepMarkup)}</tbody></table>${restMarkup(steps.length - MAX_ENTRIES)}`}
${commands.length === 0 ? NOTHING : html`<pre tabindex="0">${commands.map((one) => html`${one}\n`)}</pre>`}`;
}

function stepMarkup({ changes, clears }: FixStep): Markup {
  const findings = clears.reduce((sum, one) => sum + one.findings, 0);
  const names = clears.map(({ id }) => id).join(', ');
  const lines = changes.map(({ name, from, to, how }) => {
    const target = to === undefined ? 'no longer needed' : `→ ${to}`;
    return html`<li><strong>${name}</strong> ${from} ${target}${how === 'override' ? ' (override)' : ''}</li>`;
  });
  return html`<tr><td><ul>${lines}</ul></td><td>${counted(findings, 'finding')} <span class="faint">${names}</span></td></tr>`;
}

const BAR = 1_000;

/** The head of the report: verdict, counts, a chart of severities, and what to do. */
function summarySection(report: ScanReport): Markup {
  const { inventory, verdict, comparison, offline, advice } = report;
  const { counting, known } = splitFindings(verdict.findings, comparison);
  const fresh = comparison === undefined ? '' : 'new ';
  const alerts = counting.filter(isAlert);
  const { packages, notes, suppressed = 0 } = verdict.counts;
  const image = imageText(verdict);
  const step = nextStep(report, counting);
  const hasPlan = (advice?.plans.length ?? 0) > 0;
  const counts = SEVERITIES.map((severity) => ({
    severity,
    count: alerts.filter((one) => one.severity === severity).length,
  })).filter(({ count }) => count > 0);
  const facts: readonly (readonly [number, string])[] = [
    [alerts.length, `${fresh}${alerts.length === 1 ? 'finding' : 'findings'}`],
    ...(comparison === undefined
      ? []
      : ([
          [comparison.gone.length, 'gone'],
          [known.length, 'unchanged'],
        ] as const)),
    [packages, packages === 1 ? 'package' : 'packages'],
    [inventory.lockfiles.length, inventory.lockfiles.length === 1 ? 'lockfile' : 'lockfiles'],
    [notes, notes === 1 ? 'note' : 'notes'],
    ...(suppressed === 0 ? [] : [[suppressed, 'suppressed'] as const]),
    [verdict.gaps.length, verdict.gaps.length === 1 ? 'gap' : 'gaps'],
  ];
  return html`<header>
<p class="brand">Lockhound</p>
<h1>${verdict.target.id}</h1>
<p class="faint">Scanned <time datetime="${verdict.requestedAt}">${timeText(verdict.requestedAt)}</time></p>
</header>
<main>
<section aria-labelledby="summary" class="summary">
<h2 id="summary">${alerts.length > 0 ? counted(alerts.length, `${fresh}finding`) : noFindings(report).text}</h2>
${verdict.complete ? NOTHING : html`<p class="warning">This scan is incomplete: a finding may be missing. <a href="#gaps">What could not be found out</a></p>`}
${image === undefined ? NOTHING : html`<p>${image}</p>`}
${offline === undefined ? NOTHING : html`<p class="warning">${offlineText(offline)}</p>`}
${comparison === undefined ? NOTHING : html`<p>${comparisonSummary(verdict, comparison)}</p>${comparisonWarnings(comparison).map((text) => html`<p class="warning">${text}</p>`)}`}
${alerts.length === 0 ? NOTHING : chart(counts, alerts.length)}
<dl class="facts">${facts.map(([count, name]) => html`<div><dt>${name}</dt><dd>${count}</dd></div>`)}</dl>
${step === undefined ? NOTHING : html`<p><strong>Next:</strong> ${withCode(step)}${hasPlan ? html` <a href="#plan">Upgrade plan</a>` : NOTHING}</p>`}
</section>
`;
}

/** One bar in the parts of the severities, and its legend. */
function chart(counts: readonly { severity: string; count: number }[], total: number): Markup {
  let x = 0;
  const parts = counts.map(({ severity, count }) => {
    const width = (count / total) * BAR;
    const part = html`<rect class="s-${severity}" x="${Math.round(x)}" y="0" width="${Math.max(Math.round(width) - 3, 2)}" height="20"><title>${count} ${severity}</title></rect>`;
    x += width;
    return part;
  });
  const label = counts.map(({ severity, count }) => `${count} ${severity}`).join(', ');
  const legend = counts.map(
    ({ severity, count }) =>
      html`<li><span class="dot s-${severity}"></span><strong>${count}</strong> ${severity}</li>`,
  );
  return html`<svg class="chart" role="img" aria-label="Findings by severity: ${label}" viewBox="0 0 ${BAR} 20" preserveAspectRatio="none">${parts}</svg><ul class="legend">${legend}</ul>`;
}

/** `2026-01-31 06:00 UTC`. */
export function timeText(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
