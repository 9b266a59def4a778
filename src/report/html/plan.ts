import type { FixPlan, FixStep } from '../../model/advice/fix-plan.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { counted } from '../layout.ts';
import { html, type Markup, NOTHING } from './markup.ts';

/** Entries of each list of a plan. */
const MAX_LISTED = 200;

/** What to change in each lockfile, the step that clears most findings first, and what stays. */
export function planSection({ advice }: ScanReport): Markup {
  if (advice === undefined) return NOTHING;
  const { plans, unadvised } = advice;
  if (plans.length + unadvised.length === 0) return NOTHING;
  const gaps = unadvised
    .slice(0, MAX_LISTED)
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
    .slice(0, MAX_LISTED)
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
  return html`${steps.length === 0 ? NOTHING : html`<table class="plan"><thead><tr><th scope="col">Change</th><th scope="col">Clears</th></tr></thead><tbody>${steps.slice(0, MAX_LISTED).map(stepMarkup)}</tbody></table>`}
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
