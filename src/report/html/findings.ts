import { splitFindings } from '../../model/review/scan-comparison.ts';
import { advisoryNames } from '../../model/scan/advisory-names.ts';
import { termText } from '../../model/scan/age.ts';
import { disputeText } from '../../model/scan/claim.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { fixedVersion, priorityText, suppressionText, webAddress } from '../finding-parts.ts';
import { counted } from '../layout.ts';
import { subjectOf } from '../review/comparison-text.ts';
import { ancestorFinder, graphSvg } from './graph.ts';
import { html, type Markup, NOTHING, withCode } from './markup.ts';

/** Packages with findings that are listed. */
const MAX_PACKAGES = 2_000;
/** Characters of all graphs: the worst findings have theirs, others show one way as text. */
const MAX_GRAPHS = 400_000;
const SHOWN_PLACES = 10;
/** Gone findings that are shown unfolded. */
const SHOWN_GONE = 20;

/** The graph of all ways to a package; `NOTHING` without a way. */
type DrawGraph = (path: string, id: string, name: string) => Markup;

/**
 * The findings by package, the ones of the highest priority first, with controls to search, filter and sort them. After a comparison,
 * what is new comes first, then what is gone, then what is unchanged.
 */
export function findingsSection({ inventory, verdict, comparison }: ScanReport): Markup {
  const { counting, known } = splitFindings(verdict.findings, comparison);
  const gone = comparison?.gone ?? [];
  if (verdict.findings.length + gone.length === 0) return NOTHING;
  const draw = graphDrawer(inventory.lockfiles);
  return html`<section aria-labelledby="findings">
<h2 id="findings">${comparison === undefined ? 'Findings' : 'New findings'}</h2>
${verdict.findings.length === 0 ? NOTHING : controls(verdict.findings)}
${counting.length === 0 ? html`<p>No new findings.</p>` : html`<p class="faint">A package shows all ways to it: a direct dependency has a blue frame, the package itself a red one.</p>`}
${packageList(counting, draw)}
<p class="faint" id="finding-count" role="status"></p>
${gone.length === 0 ? NOTHING : folded('Gone', gone.length, goneList(gone), gone.length <= SHOWN_GONE)}
${known.length === 0 ? NOTHING : folded('Unchanged', known.length, packageList(known, draw), false)}
</section>
`;
}

function packageList(findings: readonly Finding[], draw: DrawGraph): Markup {
  const groups = [
    ...Map.groupBy(findings, (one) => JSON.stringify([stateOf(one), one.package.purl])).values(),
  ];
  const shown = groups.slice(0, MAX_PACKAGES);
  const rest = groups.length - shown.length;
  return html`<div class="list">${shown.map((own) => packageMarkup(own, draw))}</div>
${rest > 0 ? html`<p>${counted(rest, 'more package')} with findings: the JSON report lists all.</p>` : NOTHING}`;
}

function folded(title: string, count: number, content: Markup, open: boolean): Markup {
  return html`<details class="gap"${open ? html` open` : NOTHING}><summary>${title} <span class="faint">${count}</span></summary>
${content}</details>
`;
}

function goneList(gone: readonly Finding[]): Markup {
  const rest = gone.length - MAX_PACKAGES;
  return html`<ul>${gone.slice(0, MAX_PACKAGES).map((one) => html`<li>${subjectOf(one)}</li>`)}</ul>
${rest > 0 ? html`<p>and ${rest} more: the JSON report lists all.</p>` : NOTHING}`;
}

function stateOf(finding: Finding): 'alert' | 'note' | 'suppressed' {
  if (finding.suppressed !== undefined) return 'suppressed';
  return isAlert(finding) ? 'alert' : 'note';
}

/** Hidden without a script, which is needed for them. */
function controls(findings: readonly Finding[]): Markup {
  const kinds = [...new Set(findings.map(kindOf))];
  return html`<form class="controls" id="finding-controls" hidden>
<label class="search">Search <input type="search" name="text" autocomplete="off" placeholder="package, advisory, lockfile"></label>
<fieldset><legend>Show</legend>${kinds.map((kind) => html`<label><input type="checkbox" name="kind" value="${kind}" checked> ${kind}</label>`)}<label><input type="checkbox" name="direct"> direct only</label></fieldset>
<label>Sort by <select name="sort"><option value="">priority</option><option value="severity">severity</option><option value="name">package</option><option value="count">number of findings</option></select></label>
<button type="button" name="open">Open all</button>
</form>`;
}

function kindOf(finding: Finding): string {
  const state = stateOf(finding);
  return state === 'alert' ? finding.severity : state;
}

function packageMarkup(own: readonly Finding[], draw: DrawGraph): Markup {
  const [first] = own;
  if (first === undefined) return NOTHING;
  const { package: found, locations } = first;
  const names = own.flatMap((one) => (one.advisory === undefined ? one.rule : advisoryNames(one)));
  const text = [found.name, found.version, ...names, ...locations.map(({ path }) => path)]
    .join(' ')
    .toLowerCase();
  const path = locations[0]?.dependencyPath.slice(0, -1) ?? [];
  const why = path.length > 0 ? `via ${path[0]}` : found.direct === true ? 'direct' : '';
  const kinds = [...new Set(own.map(kindOf))].join(' ');
  const fixed = fixedVersion(first);
  const about = own.length === 1 ? first.title : `${counted(own.length, 'finding')}: ${first.title}`;
  return html`<details class="package" data-text="${text}" data-kinds="${kinds}" data-name="${found.name}" data-count="${own.length}" data-severity="${severityRank(own)}"${found.direct === false ? NOTHING : html` data-direct=""`}>
<summary><span class="badge s-${kindOf(first)}">${kindOf(first)}${scoreText(first)}</span> <span class="name">${found.name} <span class="version">${found.version}</span>${fixed === undefined ? NOTHING : html` <span class="fixed">→ ${fixed}</span>`}</span> <span class="about">${about}</span> <span class="why faint">${why}</span></summary>
<div class="body">${own.map(findingMarkup)}${places(first, draw)}</div>
</details>
`;
}

/** Orders packages by their worst finding: severity, then score. Notes and suppressed findings come last. */
function severityRank(own: readonly Finding[]): number {
  const ranks = own.map((finding) => {
    const rank = 100 * (SEVERITIES.length - SEVERITIES.indexOf(finding.severity));
    return stateOf(finding) === 'alert' ? rank + (finding.advisory?.score ?? 0) : 0;
  });
  return Math.max(...ranks);
}

function scoreText({ advisory }: Finding): string {
  return advisory?.score === undefined ? '' : ` ${advisory.score.toFixed(1)}`;
}

function findingMarkup(finding: Finding): Markup {
  const { advisory, title, advice, suppressed, rule, priority } = finding;
  const address = webAddress(advisory?.url);
  const id = advisory?.id ?? rule;
  const term = termText(finding);
  const name =
    address === undefined ? html`${id}` : html`<a href="${address}" rel="noreferrer noopener">${id}</a>`;
  return html`<div class="finding"><h3><span class="dot s-${kindOf(finding)}"></span>${title}</h3>
<p>${name}${(advisory?.aliases ?? []).map((alias) => html` <span class="faint">${alias}</span>`)}${advisory?.score === undefined ? NOTHING : html` · CVSS ${advisory.score.toFixed(1)}`}${advisory?.vector === undefined ? NOTHING : html` <code>${advisory.vector}</code>`}</p>
${
  priority === undefined
    ? NOTHING
    : html`<p>${priorityText(priority)}</p>
`
}${finding.disputed === undefined ? NOTHING : html`<p class="disputed">${disputeText(finding.disputed)}</p>`}${term === '' ? NOTHING : html`<p>${term}</p>`}${advice === undefined ? NOTHING : html`<p class="advice">${withCode(advice)}</p>`}${suppressed === undefined ? NOTHING : html`<p class="faint">${suppressionText(suppressed)}</p>`}</div>`;
}

/** The places where the package is locked, and all ways to it. */
function places({ package: found, locations }: Finding, draw: DrawGraph): Markup {
  const shown = locations.slice(0, SHOWN_PLACES).map(({ path, line, dependencyPath }) => {
    const id = dependencyPath.at(-1) ?? `${found.name}@${found.version}`;
    const way =
      dependencyPath.length > 1 ? html` <span class="way">${dependencyPath.join(' › ')}</span>` : NOTHING;
    const drawn = draw(path, id, found.name);
    return html`<li><code>${line === undefined ? path : `${path}:${line}`}</code>${drawn === NOTHING ? way : drawn}</li>`;
  });
  const rest = locations.length - shown.length;
  return html`<ul class="places">${shown}${rest > 0 ? html`<li>and ${rest} more places</li>` : NOTHING}</ul>`;
}

/** Draws graphs until they are too large together. The edges of a lockfile are read when its first graph is needed. */
function graphDrawer(lockfiles: ScanReport['inventory']['lockfiles']): DrawGraph {
  const byPath = new Map(lockfiles.map((one) => [one.path, one]));
  const finders = new Map<string, ReturnType<typeof ancestorFinder>>();
  let characters = 0;
  return (path, id, name) => {
    const lockfile = byPath.get(path);
    if (lockfile === undefined || characters > MAX_GRAPHS) return NOTHING;
    const find = finders.get(path) ?? ancestorFinder(lockfile);
    finders.set(path, find);
    const graph = find(id);
    const drawn = graph === undefined ? NOTHING : graphSvg(graph, name);
    characters += drawn.markup.length;
    return drawn;
  };
}
