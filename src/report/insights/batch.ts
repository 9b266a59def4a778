import type { Project, PurlLookupResult, Version } from '../../model/api/insights-api.generated.ts';
import { printable } from '../../model/printable.ts';
import type { TextOptions } from '../layout.ts';
import { counted, day, decimal, grouped, heading, paletteOf } from './text.ts';
import { keyText } from './version.ts';

/** What came of one line of a batch. */
export interface EntryText<Value> {
  /** As it was asked for. */
  readonly subject: string;
  readonly value?: Value;
  readonly missing?: true;
  readonly error?: { readonly message: string };
}

/** One line for an entry of a batch. */
export function renderEntry<Value>(
  { subject, value, error }: EntryText<Value>,
  summary: (value: Value, subject: string) => string,
  options: TextOptions,
): string {
  const paint = paletteOf(options);
  const name = heading(subject, paint);
  if (error !== undefined) return `${name}  ${paint.bad(printable(error.message))}\n`;
  if (value === undefined) return `${name}  ${paint.bad('not found')}\n`;
  return `${name}  ${printable(summary(value, subject))}\n`;
}

/** A version in one line; its canonical name is said when it is not what was asked for. */
export function versionSummary(version: Version, subject: string): string {
  const { licenses = [], advisoryKeys, isDeprecated = false, purl } = version;
  const name = keyText(version.versionKey);
  return [
    subject === name || subject === purl ? '' : name,
    day(version.publishedAt),
    licenses.join(', ') || 'licence unknown',
    ...(isDeprecated ? ['deprecated'] : []),
    advisoriesText(advisoryKeys),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

function advisoriesText(keys: Version['advisoryKeys']): string {
  if (keys === undefined) return 'advisories unknown';
  return keys.length === 0 ? 'no advisories' : keys.map(({ id }) => id).join(' ');
}

export function purlSummary(found: PurlLookupResult, subject: string): string {
  if (found.version !== undefined) return versionSummary(found.version, subject);
  const { packageKey, versions } = found.package ?? {};
  return `${keyText(packageKey)}  ${counted(versions?.length, 'version')}`;
}

export function projectSummary(project: Project, subject: string): string {
  const { projectKey, starsCount, license = '', scorecard } = project;
  return [
    projectKey?.id === subject ? '' : (projectKey?.id ?? ''),
    license,
    `${grouped(starsCount)} stars`,
    ...(scorecard === undefined ? [] : [`scorecard ${decimal(scorecard.overallScore)}`]),
  ]
    .filter((part) => part !== '')
    .join('  ');
}
