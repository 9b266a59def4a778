import { splitFindings } from '../../model/review/scan-comparison.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { counted } from '../layout.ts';
import { comparisonSummary, comparisonWarnings } from '../review/comparison-text.ts';
import { imageText, nextStep, noFindings, offlineText } from '../scan-parts.ts';
import { html, type Markup, NOTHING, withCode } from './markup.ts';

const BAR = 1_000;

/** The head of the report: verdict, counts, a chart of severities, and what to do. */
export function summarySection(report: ScanReport): Markup {
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

interface SeverityCount {
  readonly severity: string;
  readonly count: number;
}

/** One bar in the parts of the severities, and its legend. */
function chart(counts: readonly SeverityCount[], total: number): Markup {
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
