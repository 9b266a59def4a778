import {
  aspectCounts,
  CHANGE_ASPECTS,
  type LockfileChanges,
  type LockfileComparison,
  type PackageChange,
} from '../../model/review/package-change.ts';
import { counted } from '../layout.ts';
import { markdownCode, markdownText } from '../markdown-text.ts';
import { ASPECT_WORDS, aspectDetail, NOTABLE, versionsText } from './change-words.ts';

/** Longest text of a comment, with room for what a host adds. */
const MAX_CHARACTERS = 60_000;
const HEAD = ['| Change | Package | Version | Details |', '|---|---|---|---|'];

/** A comparison as Markdown: what has to be looked at first, everything else folded. At most 65,000 characters. */
export function diffMarkdown(comparison: LockfileComparison): string {
  const { lockfiles, gaps, newLicences = [] } = comparison;
  const lines: string[] = [`### ${headline(comparison)}`, ''];
  let room = MAX_CHARACTERS;
  const add = (line: string): boolean => {
    room -= line.length + 1;
    if (room >= 0) lines.push(line);
    return room >= 0;
  };
  for (const file of lockfiles) {
    if (file.changes.length === 0) continue;
    addFile(file, add, lines);
  }
  for (const { licence, packages } of newLicences) {
    add(`- New licence ${markdownCode(licence)}: ${counted(packages.length, 'package')}`);
  }
  if (gaps.length > 0) add('');
  for (const { side, subject, reason } of gaps) {
    if (!add(`- Not compared: ${side} ${markdownCode(subject)}: ${markdownText(reason)}`)) break;
  }
  if (room < 0) lines.push('', '… the rest does not fit into a comment.');
  return `${lines.join('\n').trimEnd()}\n`;
}

function addFile(file: LockfileChanges, add: (line: string) => boolean, lines: string[]): void {
  const notable = file.changes.filter(isNotable);
  const others = file.changes.filter((change) => !isNotable(change));
  add(
    `**${markdownCode(file.path)}**: ${counted(file.changes.length, 'change')}, ${file.unchanged} unchanged`,
  );
  add('');
  addTable(notable, add, lines);
  if (others.length === 0 || !add(`<details><summary>${countsOf(others)}</summary>`)) return;
  add('');
  addTable(others, add, lines);
  lines.push('</details>', '');
}

function addTable(changes: readonly PackageChange[], add: (line: string) => boolean, lines: string[]): void {
  if (changes.length === 0) return;
  for (const line of HEAD) add(line);
  for (const change of changes) if (!add(row(change))) break;
  lines.push('');
}

function row(change: PackageChange): string {
  const words = change.aspects.map((aspect) =>
    NOTABLE.has(aspect) ? `**${ASPECT_WORDS[aspect]}**` : ASPECT_WORDS[aspect],
  );
  const details = change.aspects.map((aspect) => aspectDetail(aspect, change)).filter((text) => text !== '');
  const version = markdownText(versionsText(change));
  return `| ${words.join(', ')} | ${markdownCode(change.name)} | ${version} | ${details.map(markdownText).join('<br>')} |`;
}

function isNotable({ aspects }: PackageChange): boolean {
  return aspects.some((aspect) => NOTABLE.has(aspect));
}

function headline({ lockfiles, gaps }: LockfileComparison): string {
  const changes = lockfiles.flatMap((file) => file.changes);
  const alarm = changes.some(({ aspects }) => aspects.includes('integrity'));
  const incomplete = gaps.length === 0 ? '' : '; incomplete';
  if (changes.length === 0) return `No package changed${incomplete}`;
  return `${alarm ? '🚨 ' : ''}${countsOf(changes)}${incomplete}`;
}

function countsOf(changes: readonly PackageChange[]): string {
  const counts = aspectCounts([{ path: '', status: 'changed', changes, unchanged: 0, notes: [] }]);
  return CHANGE_ASPECTS.filter((aspect) => counts[aspect] !== undefined)
    .map((aspect) => `${counts[aspect]} ${ASPECT_WORDS[aspect]}`)
    .join(', ');
}
