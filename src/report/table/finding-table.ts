import { printable } from '../../model/printable.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { webAddress } from '../finding-parts.ts';
import { hang, oneLine, type Palette, palette, stringWidth, type TextOptions } from '../layout.ts';

/** A finding in a table. Rows of one package follow each other. */
export interface FindingRow {
  readonly finding: Finding;
  /** The version to upgrade to, where one is known. */
  readonly fixed?: string | undefined;
  /** Why it is there, from the most to the least detailed: the first that fits is shown. */
  readonly why: readonly string[];
  /** Lines below the row. */
  readonly details: readonly string[];
}

const GAP = 2;
/** Columns of severity and score: `critical 9.8`. */
const LEAD = 12;
/** Longest name of an advisory that has its column: `GHSA-xxxx-xxxx-xxxx`. Longer ones do not widen the column of all. */
const MAX_ID = 20;
/** Least columns for the package and for the reason; where they do not fit, a finding takes two lines. */
const LEAST_NAME = 24;
const LEAST_WHY = 18;
/** Most columns for the reason where the title is shown beside it, and the least for the title. */
const MAX_WHY = 34;
const LEAST_TITLE = 28;
/** Indent of what belongs to a finding on a narrow terminal. */
const NARROW_INDENT = 4;

/** `name`: `name 1.0.0 → 1.0.1`; empty for another finding of the same package. `why`: empty for another finding of the same package. */
type Cells = ReturnType<typeof cellsOf>;

/** Widths of the columns; `title` is 0 where there is no room for one. */
interface Widths {
  readonly name: number;
  readonly id: number;
  readonly why: number;
  readonly title: number;
}

/**
 * One line for each finding: severity and score, package with its locked and its fixed version (once for each package), advisory,
 * why the package is there, and the title where there is room. On a narrow terminal a finding takes two lines.
 */
export function findingTable(rows: readonly FindingRow[], options: TextOptions): readonly string[] {
  const paint = palette(options.colour);
  const cells = rows.map((row, index) => cellsOf(row, rows[index - 1]));
  const widths = widthsFor(cells, options);
  return cells.flatMap((one) => [
    ...(widths === undefined ? stacked(one, options, paint) : columnLines(one, widths, options, paint)),
    ...one.row.details.flatMap((text) => {
      const indent = ' '.repeat(widths === undefined ? NARROW_INDENT : LEAD + GAP);
      return hang(indent, paint.faint(text), options.width);
    }),
  ]);
}

/** Rows in groups of one package, in the order in which the packages come first. */
export function groupedByPackage<Item>(
  items: readonly Item[],
  findingOf: (item: Item) => Finding,
): readonly Item[] {
  const groups = Map.groupBy(items, (item) => {
    const finding = findingOf(item);
    // A note about a package that also has an alert stays with the notes.
    return JSON.stringify([isAlert(finding), finding.package.purl]);
  });
  return [...groups.values()].flat();
}

function cellsOf(row: FindingRow, before: FindingRow | undefined) {
  const { finding, fixed } = row;
  const { name, version, purl } = finding.package;
  const isSame = before?.finding.package.purl === purl && isAlert(before.finding) === isAlert(finding);
  const isRepeated = isSame && before.fixed === fixed;
  const to = fixed === undefined ? '' : ` → ${fixed}`;
  return {
    row,
    lead: leadOf(finding),
    name: isRepeated ? '' : printable(`${name} ${version}${to}`.trim()),
    id: printable(finding.advisory?.id ?? finding.rule),
    why: isRepeated ? [] : row.why.map(printable),
  };
}

/** `critical 9.8`, `note`, or `suppressed`. */
function leadOf({ severity, level, advisory, suppressed }: Finding): string {
  if (suppressed !== undefined) return 'suppressed';
  if (level === 'note') return 'note';
  const score = advisory?.score === undefined ? '' : advisory.score.toFixed(1);
  return score === '' ? severity : `${severity.padEnd(LEAD - score.length)}${score}`;
}

/** `undefined` when the columns do not fit. */
function widthsFor(cells: readonly Cells[], { width, verbose }: TextOptions): Widths | undefined {
  const longest = (of: (one: Cells) => string, limit: number) =>
    cells.reduce((most, one) => Math.max(most, Math.min(stringWidth(of(one)), limit)), 0);
  const id = longest((one) => one.id, MAX_ID);
  const room = width - LEAD - id - 3 * GAP - LEAST_WHY;
  if (room < LEAST_NAME) return undefined;
  // A few long names do not take the room of everything else: their advisory comes on the next line.
  const name = longest((one) => one.name, Math.min(room, Math.max(LEAST_NAME, Math.floor(width * 0.4))));
  const rest = width - LEAD - name - id - 3 * GAP;
  // A title says more than the rest of a long path; the shortest reason stays whole.
  const needed = longest((one) => one.why.at(-1) ?? '', MAX_WHY);
  const limit = Math.min(MAX_WHY, Math.max(rest - LEAST_TITLE - GAP, needed));
  const why = longest((one) => shortest(one.why, limit), limit);
  const title = verbose === true ? 0 : rest - why - GAP;
  if (title >= LEAST_TITLE) return { name, id, why, title };
  // Output that is no terminal has no width: no column is wider than its content.
  return { name, id, why: longest((one) => one.why[0] ?? '', rest), title: 0 };
}

/** The first that fits, or the last one. */
function shortest(texts: readonly string[], width: number): string {
  return texts.find((text) => stringWidth(text) <= width) ?? texts.at(-1) ?? '';
}

/** The beginning that fits. A name is cut within a word, because a part of it says more than none. */
function clipped(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const kept = [...text].slice(0, width - 1);
  while (stringWidth(kept.join('')) >= width) kept.pop();
  return `${kept.join('')}…`;
}

/** One line, and another one after each cell that is wider than its column. */
function columnLines(cells: Cells, widths: Widths, options: TextOptions, paint: Palette): readonly string[] {
  const { row, lead, name, id } = cells;
  const why = clipped(shortest(cells.why, widths.why), widths.why);
  const title = widths.title === 0 ? '' : oneLine(printable(row.finding.title), widths.title);
  const lines: string[] = [];
  let line = padded(lead, LEAD, leadPaint(row, paint));
  const add = (text: string, width: number, start: number, painted: (text: string) => string) => {
    line += padded(text, width, painted);
    if (stringWidth(text) <= width) return;
    lines.push(line.trimEnd());
    line = ' '.repeat(start + width + GAP);
  };
  add(name, widths.name, LEAD + GAP, nameOf(row, paint));
  add(id, widths.id, LEAD + widths.name + 2 * GAP, linked(row, options, paint));
  const last = `${line}${padded(why, widths.why, paint.faint)}${title}`.trimEnd();
  return last === '' ? lines : [...lines, last];
}

/** Severity and package, below them advisory and reason. One line for another finding of the same package. */
function stacked(
  { row, lead, name, id, why: reasons }: Cells,
  options: TextOptions,
  paint: Palette,
): readonly string[] {
  const first = padded(lead, LEAD, leadPaint(row, paint));
  const advisory = linked(row, options, paint)(id);
  if (name === '') return [`${first}${advisory}`];
  const beside = options.width - NARROW_INDENT - GAP - stringWidth(id);
  const why = shortest(reasons, beside);
  const indent = ' '.repeat(NARROW_INDENT);
  return [
    ...hang(first, nameOf(row, paint)(name), options.width),
    ...(stringWidth(why) <= beside
      ? [`${indent}${padded(id, 0, () => advisory)}${why === '' ? '' : paint.faint(why)}`.trimEnd()]
      : [`${indent}${advisory}`, ...hang(indent, paint.faint(why), options.width)]),
  ];
}

/** Pads before it paints, because colours and links have no width. */
function padded(text: string, width: number, paint: (text: string) => string): string {
  return `${text === '' ? '' : paint(text)}${' '.repeat(Math.max(width - stringWidth(text), 0) + GAP)}`;
}

function leadPaint({ finding }: FindingRow, paint: Palette): (text: string) => string {
  return (text) => (isAlert(finding) ? paint.severity(finding.severity, text) : paint.faint(text));
}

function nameOf({ fixed }: FindingRow, paint: Palette): (text: string) => string {
  return (text) => {
    if (fixed === undefined) return paint.strong(text);
    const at = text.lastIndexOf(' → ');
    return `${paint.strong(text.slice(0, at))}${paint.good(text.slice(at))}`;
  };
}

/** A link to the advisory (OSC 8) where the terminal shows links. */
function linked({ finding }: FindingRow, { links }: TextOptions, paint: Palette) {
  const address = links === true ? webAddress(finding.advisory?.url) : undefined;
  // Only characters that every terminal takes as part of the address.
  const isPlain = address !== undefined && /^[\w:/.?=&%~#@+-]+$/.test(address);
  return (text: string) =>
    isPlain ? `\u001b]8;;${address}\u0007${paint.faint(text)}\u001b]8;;\u0007` : paint.faint(text);
}
