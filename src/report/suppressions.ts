import type { ImportedVex } from '../model/api/lockhound-api.generated.ts';
import { printable } from '../model/printable.ts';
import type { ListedSuppression, Suppression } from '../model/scan/suppression.ts';
import { isTooWide, TOO_WIDE } from '../model/scan/too-wide.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from './layout.ts';

/** Suppressions with what they suppress. */
export function suppressionListText(
  { suppressions }: { readonly suppressions: readonly ListedSuppression[] },
  options: TextOptions,
): string {
  const paint = palette(options.colour);
  const unused = suppressions.filter(
    ({ findings, removed, overrules }) => findings === 0 && removed === undefined && overrules !== true,
  ).length;
  const lines = suppressions.flatMap((one) => suppressionLines(one, paint, options.width));
  if (suppressions.length === 0) return fitLines(['No suppressions.'], options);
  const rest = unused === 0 ? '' : `; ${unused} without effect`;
  return fitLines([...lines, '', `${counted(suppressions.length, 'suppression')}${rest}`], options);
}

/** The text about changes by VEX documents, and about statements that were not applied. */
export function importedVexText(
  { documents }: { readonly documents: readonly ImportedVex[] },
  options: TextOptions,
): string {
  const lines = documents.flatMap(({ path, id, applied, overruling, removed, notApplied }) => [
    ...hang('', printable(`${path}: ${counted(applied, 'suppression')} of ${id}`), options.width),
    ...(overruling === 0
      ? []
      : hang(
          '  ',
          `${counted(overruling, 'statement')} that findings count, against earlier ones`,
          options.width,
        )),
    ...(removed === 0 ? [] : [`  ${counted(removed, 'suppression')} of an earlier version removed`]),
    ...notApplied
      .slice(0, MAX_NOT_APPLIED)
      .flatMap(({ line, reason }) =>
        hang('  ', printable(`not applied: ${path}:${line}: ${reason}`), options.width),
      ),
    ...(notApplied.length > MAX_NOT_APPLIED
      ? [`  … and ${notApplied.length - MAX_NOT_APPLIED} more not applied: --json shows them`]
      : []),
  ]);
  return fitLines(lines, options);
}

/** JSON has all. */
const MAX_NOT_APPLIED = 20;

function suppressionLines(listed: ListedSuppression, paint: Palette, width: number): readonly string[] {
  const { id, reason, author, expires, addedAt, expired, removed } = listed;
  const by = author === undefined ? '' : `, by ${author}`;
  const state = stateText(listed, paint);
  const times = [
    ...(addedAt === undefined ? [] : [`added ${addedAt}`]),
    ...(expires === undefined ? [] : [`${expired ? 'expired' : 'expires'} ${expires}`]),
    ...(removed === undefined ? [] : [removalText(removed)]),
  ];
  return [
    `${paint.strong(printable(id))}  ${state}`,
    ...hang('  ', printable(scopeText(listed)), width),
    ...hang('  ', printable(`${reason}${by}`), width),
    ...(times.length === 0 ? [] : hang('  ', paint.faint(printable(times.join(', '))), width)),
  ];
}

function stateText(listed: ListedSuppression, paint: Palette): string {
  const { findings, expired, removed, overrules } = listed;
  if (removed !== undefined) return paint.faint('removed');
  if (overrules === true) return paint.faint('says that findings count');
  if (isTooWide(listed)) return paint.bad(`suppresses nothing: it ${TOO_WIDE}`);
  if (expired) return paint.bad('expired');
  return findings === 0
    ? paint.bad('matches no finding')
    : paint.good(`suppresses ${counted(findings, 'finding')}`);
}

function removalText({ at, author, reason }: NonNullable<ListedSuppression['removed']>): string {
  return `removed ${at} by ${author}${reason === undefined ? '' : ` (${reason})`}`;
}

/** `advisory CVE-1, package npm lodash <4.17.21, label team=web`. */
export function scopeText({
  advisories = [],
  package: scope,
  rule,
  target,
  labels = {},
  path,
  all,
}: Suppression): string {
  const stated = scope?.version ?? scope?.versions;
  const versions = stated === undefined ? '' : ` ${stated}`;
  return [
    ...(advisories.length === 0 ? [] : [`advisory ${advisories.join(' or ')}`]),
    ...(scope === undefined ? [] : [`package ${scope.ecosystem} ${scope.name}${versions}`]),
    ...(rule === undefined ? [] : [`rule ${rule}`]),
    ...(target === undefined ? [] : [`target ${target}`]),
    ...Object.entries(labels).map(([name, value]) => `label ${name}=${value}`),
    ...(path === undefined ? [] : [`path ${path}`]),
    ...(all === undefined ? [] : ['all packages']),
  ].join(', ');
}
