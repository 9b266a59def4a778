import { createHash } from 'node:crypto';
import { packageVersion } from '../../files/package-file.ts';
import type { FixPlan, FixStep } from '../../model/advice/fix-plan.ts';
import type { Gap } from '../../model/scan/gap.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { counted } from '../layout.ts';
import { SCRIPT, STYLE } from './assets.generated.ts';
import { findingsSection } from './findings.ts';
import { html, type Markup, NOTHING, trusted } from './markup.ts';
import { packagesSection } from './packages.ts';
import { summarySection } from './summary.ts';

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
  entry: 'Parts of lockfiles that were not read',
  detail: 'Facts that lockfiles do not state',
  package: 'Packages that were not looked up',
  coverage: 'Packages that the local data set does not cover',
  service: 'The look-up service',
  source: 'What the sources of the scan do not know',
  advisory: 'Advisories that could not be read',
  dependencies: 'Dependencies that could not be read',
  rule: 'Packages that a rule failed on',
  image: 'Base images',
  signal: 'Signals that could not be read',
  document: 'Description documents',
};

/** What the scan could not find out, and suppressions without effect. */
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
${rest > 0 ? html`<p>and ${counted(rest, 'more', 'more')}: the JSON report lists all.</p>` : NOTHING}</details>`;
}

/** Entries of each list of a plan. */
const MAX_ENTRIES = 200;

/** What to change in each lockfile, the step that clears most findings first, and what stays. */
function planSection({ advice }: ScanReport): Markup {
  if (advice === undefined) return NOTHING;
  const { plans, unadvised } = advice;
  if (plans.length + unadvised.length === 0) return NOTHING;
  const gaps = unadvised
    .slice(0, MAX_ENTRIES)
    .map(
      ({ path, id, reason }) => html`<li><code>${id === '' ? path : `${path} ${id}`}</code> ${reason}</li>`,
    );
  return html`<section aria-labelledby="plan">
<h2 id="plan">Upgrade plan</h2>
${plans.map(planMarkup)}
${unadvised.length === 0 ? NOTHING : html`<details class="gap"><summary>No advice <span class="faint">${unadvised.length}</span></summary><ul>${gaps}</ul></details>`}
</section>
`;
}

function planMarkup({ path, steps, commands, breaking, stays }: FixPlan): Markup {
  const staying = stays
    .slice(0, MAX_ENTRIES)
    .map(
      ({ id, findings, reason }) =>
        html`<li><code>${id}</code> ${counted(findings, 'finding')}: ${reason}</li>`,
    );
  return html`<h3><code>${path}</code></h3>
${stepsMarkup({ steps, commands })}
${breaking.steps.length === 0 ? NOTHING : html`<p>To another major line, which can need changes of your code (after the others):</p>${stepsMarkup(breaking)}`}
${stays.length === 0 ? NOTHING : html`<details class="gap"><summary>What stays <span class="faint">${stays.length}</span></summary><ul>${staying}</ul></details>`}`;
}

function stepsMarkup({ steps, commands }: FixPlan['breaking']): Markup {
  return html`${steps.length === 0 ? NOTHING : html`<table class="plan"><thead><tr><th scope="col">Change</th><th scope="col">Clears</th></tr></thead><tbody>${steps.slice(0, MAX_ENTRIES).map(stepMarkup)}</tbody></table>`}
${commands.length === 0 ? NOTHING : html`<pre tabindex="0">${commands.join('\n')}</pre>`}`;
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
