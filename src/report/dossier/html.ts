import { packageVersion } from '../../files/package-file.ts';
import type {
  Dossier,
  DossierStatement,
  DossierVulnerability,
} from '../../model/api/lockhound-api.generated.ts';
import { webAddress } from '../finding-parts.ts';
import { documentHead } from '../html/html.ts';
import { html, type Markup, NOTHING, withCode } from '../html/markup.ts';
import { STAGES } from './csaf.ts';
import { dayTime, productName, statusText, timeOfPackage } from './parts.ts';

/** The dossier as one HTML file for people, with what is open first. It needs no network, no server and no script. Every text is escaped. */
export function* renderDossier(dossier: Dossier): Generator<string> {
  const { subject, stage, createdAt, publisher, counts, statements, count, vulnerabilities } = dossier;
  yield documentHead(`${subject} · ${STAGES[stage]}`).markup;
  yield html`<header>
<p class="brand">Lockhound · draft</p>
<h1>${subject}</h1>
<p class="faint">Draft of the ${STAGES[stage]}, made <time datetime="${createdAt}">${dayTime(createdAt)}</time>${publisher === undefined ? '' : `, for ${publisher.name}`}</p>
</header>
<main>
<section aria-labelledby="summary">
<h2 id="summary">Summary</h2>
<dl class="facts">${STATUSES.map((status) => html`<div><dt>${statusText({ status })}</dt><dd>${counts[status] ?? 0}</dd></div>`)}</dl>
${vulnerabilities.map(vulnerabilityMarkup)}
</section>
${decisionsMarkup(dossier)}
`.markup;
  for (const status of STATUSES) {
    const own = statements.filter((one) => one.status === status);
    if (own.length === 0) continue;
    yield html`<section aria-labelledby="${status}">
<h2 id="${status}">Products: ${statusText({ status })}</h2>
`.markup;
    for (const one of own) yield statementMarkup(one, vulnerabilities.length > 1).markup;
    yield '</section>\n';
  }
  if (count > statements.length)
    yield html`<p class="warning">${count - statements.length} more statements are left out.</p>`.markup;
  yield html`</main>
<footer><p>Lockhound ${packageVersion()} · ${dossier.id}</p></footer>
</body>
</html>
`.markup;
}

/** The order of the statuses: those that need work come first. */
const STATUSES = ['affected', 'under_investigation', 'not_affected', 'fixed'] as const;

function vulnerabilityMarkup(one: DossierVulnerability): Markup {
  const { id, aliases, title, severity, score, vector, exploited, exploitedSince } = one;
  const address = webAddress(one.url);
  const rated =
    severity === undefined ? NOTHING : html` <span class="badge s-${severity}">${severity}</span>`;
  return html`<h3>${address === undefined ? id : html`<a href="${address}">${id}</a>`}${rated}</h3>
<p>${title}</p>
<p class="faint">${[
    ...aliases,
    ...(score === undefined ? [] : [`CVSS ${score}`]),
    ...(vector === undefined ? [] : [vector]),
  ].join(' · ')}</p>
${exploited === true ? html`<p class="warning">In the catalogue of known exploited vulnerabilities${exploitedSince === undefined ? '' : ` since ${exploitedSince}`}.</p>` : NOTHING}`;
}

/** The fields that are left open, with what is known about them. */
function decisionsMarkup({ decisions }: Dossier): Markup {
  if (decisions.length === 0) return NOTHING;
  return html`<section aria-labelledby="open">
<h2 id="open">To be decided by a person</h2>
${decisions.map(
  ({
    question,
    known,
  }) => html`<div class="open"><p><strong>${withCode(question)}</strong></p>${known === undefined ? NOTHING : html`<p class="faint">Known: ${known}.</p>`}<p class="blank">To be decided</p></div>
`,
)}</section>`;
}

function statementMarkup(one: DossierStatement, isNamed: boolean): Markup {
  const { labels, vulnerability, reason, author, packages, told, remedy, openedAt, release } = one;
  const support = release?.supportedUntil === undefined ? '' : `supported until ${release.supportedUntil}`;
  const facts = [
    ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    ...(support === '' ? [] : [support]),
  ];
  return html`<article><h3>${productName(one)}${isNamed ? html` <span class="version">${vulnerability}</span>` : NOTHING}</h3>
${facts.length === 0 ? NOTHING : html`<p class="faint">${facts.join(' · ')}</p>`}
${reason === undefined ? NOTHING : html`<p>${one.status === 'affected' ? 'Suppressed: ' : ''}${reason}${author === undefined ? '' : ` (${author})`}</p>`}
<ul class="places">${packages.map((held) => html`<li><code>${held.purl}</code> in <code>${held.lockfile}</code> <span class="faint">${timeOfPackage(held, one)}</span>${held.path.length > 1 ? html`<div class="way">${held.path.join(' → ')}</div>` : NOTHING}</li>`)}</ul>
<p class="faint">${told.length === 0 ? 'Nobody is known to have been told' : `Told: ${told.map(({ route, at }) => `${route} ${dayTime(at)}`).join(', ')}`}${openedAt === undefined ? '' : `; alert opened ${dayTime(openedAt)}`}${remedy === undefined ? '' : `; known upgrade: ${remedy}`}</p>
</article>
`;
}
