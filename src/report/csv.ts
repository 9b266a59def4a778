import { printable } from '../model/printable.ts';
import type { Finding, Location } from '../model/scan/finding.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { fixedVersion, webAddress } from './finding-parts.ts';

/** A finding in one place; `undefined` for a finding without places. */
interface Row {
  readonly state: string;
  readonly finding: Finding;
  readonly place?: Location | undefined;
}

type Cell = string | number | undefined;

const COLUMNS: Readonly<Record<string, (row: Row) => Cell>> = {
  state: ({ state }) => state,
  severity: ({ finding }) => finding.severity,
  score: ({ finding }) => finding.advisory?.score,
  priority: ({ finding }) => finding.priority?.score,
  rule: ({ finding }) => finding.rule,
  advisory: ({ finding }) => finding.advisory?.id,
  aliases: ({ finding }) => finding.advisory?.aliases.join(' '),
  package: ({ finding }) => finding.package.name,
  version: ({ finding }) => finding.package.version,
  fixed: ({ finding }) => fixedVersion(finding),
  title: ({ finding }) => finding.title,
  path: ({ place }) => place?.path,
  line: ({ place }) => place?.line,
  through: ({ place }) => place?.dependencyPath.join(' > '),
  owners: ({ finding }) => finding.owners?.join(' '),
  opened: ({ finding }) => finding.age?.since,
  due: ({ finding }) => finding.due,
  suppressed: ({ finding }) => finding.suppressed?.reason,
  purl: ({ finding }) => finding.package.purl,
  url: ({ finding }) => webAddress(finding.advisory?.url),
};

/**
 * The findings as CSV (RFC 4180), one row for each place of a finding, for spreadsheets. A gap is a row with the state `not known`, so that a
 * short list does not look like a clean one. What a finding does not have is an empty cell.
 */
export function* renderCsv({ verdict, comparison }: ScanReport): Generator<string> {
  yield lineOf(Object.keys(COLUMNS));
  const introduced = new Set(comparison && [...comparison.introduced, ...comparison.refused]);
  const stateOf = ({ fingerprint, suppressed, level }: Finding): string => {
    if (suppressed !== undefined) return 'suppressed';
    if (level === 'note') return 'note';
    if (comparison === undefined) return 'open';
    return introduced.has(fingerprint) ? 'new' : 'unchanged';
  };
  for (const finding of verdict.findings) yield* linesOf(finding, stateOf(finding));
  for (const finding of comparison?.gone ?? []) yield* linesOf(finding, 'gone');
  for (const { kind, subject, reason } of verdict.gaps) {
    const known: Readonly<Record<string, Cell>> = { state: 'not known', rule: kind, package: subject };
    yield lineOf(Object.keys(COLUMNS).map((name) => (name === 'title' ? reason : known[name])));
  }
}

function* linesOf(finding: Finding, state: string): Generator<string> {
  const places = finding.locations.length === 0 ? [undefined] : finding.locations;
  for (const place of places) {
    yield lineOf(Object.values(COLUMNS).map((cell) => cell({ state, finding, place })));
  }
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? textCell(cell) : (cell ?? ''))).join(',')}\r\n`;
}

/**
 * The beginning that a spreadsheet takes for a formula: names of packages begin with `@`. The last four are the same characters in full
 * width.
 */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** A text as a cell. An apostrophe makes one that begins as a formula a text for spreadsheets. */
function textCell(text: string): string {
  const shown = printable(text.trimStart());
  const harmless = FORMULA.test(shown) ? `'${shown}` : shown;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
