import type { Gap } from '../../model/scan/gap.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { counted } from '../layout.ts';
import { html, type Markup, NOTHING } from './markup.ts';

/** Entries of each kind that are listed. */
const MAX_LISTED = 500;

const KINDS: Readonly<Record<Gap['kind'], string>> = {
  lockfile: 'Lockfiles that were not read',
  entry: 'Parts of lockfiles that were not read',
  detail: 'Facts that lockfiles do not state',
  package: 'Packages that were not looked up',
  coverage: 'Packages that the local data set does not cover',
  service: 'The look-up service',
  advisory: 'Advisories that could not be read',
  dependencies: 'Dependencies that could not be read',
  rule: 'Packages that a rule failed on',
  image: 'Base images',
  signal: 'Signals that could not be read',
  document: 'Description documents',
};

/** What the scan could not find out, and suppressions without effect. */
export function gapsSection({ verdict }: ScanReport): Markup {
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
