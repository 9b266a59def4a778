import type { ResolvedPackage } from '../../model/scan/inventory.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { counted } from '../layout.ts';
import { html, type Markup, NOTHING } from './markup.ts';

/** Packages that are listed. */
const MAX_PACKAGES = 5_000;
const SHOWN_LICENCES = 8;
const DAY = 86_400_000;
/** Ages of releases in days, with their names. */
const AGES: readonly (readonly [days: number, name: string])[] = [
  [30, 'under a month'],
  [365, 'under a year'],
  [3 * 365, '1 to 3 years'],
  [5 * 365, '3 to 5 years'],
  [Number.POSITIVE_INFINITY, '5 years and more'],
];

/** `days`: days since its release; `undefined` when it is not known. */
type Row = ReturnType<typeof rowOf>;

/** All packages of the lockfiles, and what they are by licence and by age. */
export function packagesSection({ inventory, verdict }: ScanReport): Markup {
  const distinct = new Map(
    inventory.lockfiles.flatMap((file) => file.packages.map((one) => [one.purl, one])),
  );
  if (distinct.size === 0) return NOTHING;
  const now = Date.parse(verdict.requestedAt);
  const rows = [...distinct.values()].map((locked) => rowOf(locked, now)).sort(byName);
  const shown = rows.slice(0, MAX_PACKAGES);
  const rest = rows.length - shown.length;
  return html`<section aria-labelledby="packages">
<h2 id="packages">Packages</h2>
<div class="charts">${bars('Licences', licenceCounts(rows))}${bars('Age of the locked version', ageCounts(rows))}</div>
<form class="controls" id="package-controls" hidden><label class="search">Search <input type="search" name="text" autocomplete="off" placeholder="package, licence, outcome"></label></form>
<div class="scroll" tabindex="0" role="region" aria-label="All packages"><table id="package-table"><thead><tr><th scope="col" aria-sort="ascending">Package</th><th scope="col">Version</th><th scope="col">Ecosystem</th><th scope="col">Licence</th><th scope="col">Released</th><th scope="col">Outcome</th></tr></thead>
<tbody>${shown.map(rowMarkup)}</tbody></table></div>
<p class="faint" id="package-count" role="status"></p>
${rest > 0 ? html`<p>${counted(rest, 'more package')}: the JSON report lists all.</p>` : NOTHING}
</section>
`;
}

function rowOf(locked: ResolvedPackage, now: number) {
  const { record } = locked.resolution;
  const released = record?.publishedAt === undefined ? Number.NaN : Date.parse(record.publishedAt);
  const days = Math.max(Math.floor((now - released) / DAY), 0);
  const licences = record?.licenses ?? [];
  return {
    locked,
    licence: record === undefined ? 'not looked up' : licences.join(', ') || 'not stated',
    days: Number.isNaN(days) ? undefined : days,
  };
}

function byName({ locked: left }: Row, { locked: right }: Row): number {
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  return left.purl < right.purl ? -1 : 1;
}

function rowMarkup({ locked, licence }: Row): Markup {
  const { name, version, ecosystem, direct, resolution } = locked;
  const released = resolution.record?.publishedAt?.slice(0, 10) ?? '';
  return html`<tr><td>${name}${direct === true ? html` <i>direct</i>` : NOTHING}</td><td>${version}</td><td>${ecosystem}</td><td>${licence}</td><td>${released}</td><td>${resolution.outcome}</td></tr>
`;
}

type Count = readonly [name: string, count: number];

function licenceCounts(rows: readonly Row[]): readonly Count[] {
  const counts = [...Map.groupBy(rows, ({ licence }) => licence)]
    .map(([name, own]): Count => [name, own.length])
    .sort(([left, many], [right, few]) => few - many || (left < right ? -1 : 1));
  const rest = counts.slice(SHOWN_LICENCES).reduce((sum, [, count]) => sum + count, 0);
  return [...counts.slice(0, SHOWN_LICENCES), ...(rest > 0 ? [['others', rest] as const] : [])];
}

function ageCounts(rows: readonly Row[]): readonly Count[] {
  const nameOf = ({ days }: Row) =>
    days === undefined ? 'not known' : (AGES.find(([limit]) => days < limit)?.[1] ?? '');
  return [...AGES.map(([, name]) => name), 'not known'].flatMap((name) => {
    const count = rows.filter((row) => nameOf(row) === name).length;
    return count === 0 ? [] : [[name, count] as const];
  });
}

function bars(title: string, counts: readonly Count[]): Markup {
  const most = Math.max(...counts.map(([, count]) => count));
  const rows = counts.map(
    ([name, count]) =>
      html`<tr><th scope="row">${name}</th><td>${count}</td><td class="bar"><svg aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none"><rect width="${Math.max((count / most) * 100, 1).toFixed(1)}" height="8"/></svg></td></tr>`,
  );
  return html`<table class="bars"><caption>${title}</caption><tbody>${rows}</tbody></table>`;
}
