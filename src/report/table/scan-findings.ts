import { printable } from '../../model/printable.ts';
import { termText } from '../../model/scan/age.ts';
import { disputeText } from '../../model/scan/claim.ts';
import type { Finding, Location } from '../../model/scan/finding.ts';
import { fixedVersion, priorityText, suppressionText, webAddress } from '../finding-parts.ts';
import type { TextOptions } from '../layout.ts';
import { type FindingRow, findingTable, groupedByPackage } from './finding-table.ts';

/** Places of a finding that `--verbose` lists. */
const SHOWN_PLACES = 10;

/** Findings by package, the worst first; with `verbose` everything about each. `several`: they are of more than one lockfile. */
export function scanFindings(
  findings: readonly Finding[],
  several: boolean,
  options: TextOptions,
): readonly string[] {
  const rows = groupedByPackage(findings, (one) => one).map(
    (finding): FindingRow => ({
      finding,
      fixed: fixedVersion(finding),
      why: reasons(finding, several),
      details: detailsOf(finding, options.verbose === true),
    }),
  );
  return findingTable(rows, options);
}

/** Why a package is there: it is direct, or the packages that require it. With several lockfiles also which one. */
function reasons({ package: { direct }, locations }: Finding, several: boolean): readonly string[] {
  const [first] = locations;
  const rest = locations.length > 1 ? ` (+${locations.length - 1})` : '';
  const where = several && first !== undefined ? [`${first.path}${rest}`] : [];
  const path = (first?.dependencyPath ?? []).slice(0, -1);
  const ways = path.length > 0 ? pathTexts(path) : [direct === true ? 'direct' : ''];
  return ways.map((way) => [way, ...where].filter((part) => part !== '').join(' in '));
}

function pathTexts(path: readonly string[]): readonly string[] {
  const [first = ''] = path;
  // Ids of packages from no registry have their source in brackets.
  const name = first.replace(/(?<=.)@[^@]*$/, '');
  const texts = [`via ${path.join(' › ')}`];
  if (path.length > 1)
    texts.push(`via ${first} › … (${path.length} deep)`, `via ${first} › …`, `via ${name} › …`);
  return [...texts, `via ${name}`];
}

/** The lines below a finding: its suppression, and with `verbose` everything about it. */
export function detailsOf(finding: Finding, verbose: boolean): readonly string[] {
  const { advisory, advice, suppressed, title, locations } = finding;
  const state = suppressed === undefined ? [] : [printable(suppressionText(suppressed))];
  const disputed = finding.disputed === undefined ? [] : [printable(disputeText(finding.disputed))];
  if (!verbose) return [...exploited(finding), ...disputed, ...state];
  const names = advisory === undefined ? [] : advisory.aliases;
  const shown = locations.slice(0, SHOWN_PLACES).map(placeText);
  const rest = locations.length - shown.length;
  const address = webAddress(advisory?.url);
  const term = termText(finding);
  return [
    printable(title),
    ...(finding.priority === undefined ? [] : [priorityText(finding.priority)]),
    ...(term === '' ? [] : [term]),
    ...(names.length === 0 ? [] : [printable(names.join(' '))]),
    ...disputed,
    ...state,
    ...shown,
    ...(rest > 0 ? [`… and ${rest} more places`] : []),
    ...(finding.owners === undefined ? [] : [printable(`owned by ${finding.owners.join(', ')}`)]),
    ...(advice === undefined ? [] : [printable(advice)]),
    ...(address === undefined ? [] : [address]),
  ];
}

/** Known exploitation is shown always: it decides what to do first. */
function exploited({ kev }: Finding): readonly string[] {
  if (kev?.listed !== true) return [];
  const since = kev.added === undefined ? '' : ` since ${kev.added}`;
  return [`known to be exploited${since}${kev.ransomware === true ? ', used by ransomware' : ''}`];
}

function placeText({ path, line, dependencyPath }: Location): string {
  const where = line === undefined ? path : `${path}:${line}`;
  return printable(dependencyPath.length > 1 ? `${where}  ${dependencyPath.join(' › ')}` : where);
}
