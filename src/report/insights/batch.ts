import type { Project, PurlLookupResult, Version } from '../../model/api/insights-api.generated.ts';
import { printable } from '../../model/printable.ts';
import type { TextOptions } from '../layout.ts';
import { palette } from '../palette.ts';
import { keyText } from './package.ts';
import { counted, day, decimal, grouped } from './view.ts';

/** The result for one request of a batch. */
export interface EntryText<Value> {
  /** The request. */
  readonly subject: string;
  /** `undefined`: not found, unless there is an error. */
  readonly value?: Value | undefined;
  /** Whether it was not found in local data that does not cover it. */
  readonly uncovered?: boolean | undefined;
  readonly error?: { readonly message: string } | undefined;
}

/** One line for an entry of a batch. */
export function renderEntry<Value>(
  { subject, value, uncovered, error }: EntryText<Value>,
  summary: (value: Value, subject: string) => string,
  options: TextOptions,
): string {
  const paint = palette(options.colour);
  const result =
    error !== undefined
      ? paint.bad(printable(error.message))
      : value === undefined
        ? paint.bad(uncovered === true ? 'not in the local data set' : 'not found')
        : printable(summary(value, subject));
  return `${paint.strong(printable(subject))}  ${result}\n`;
}

/** A version in one line, with its canonical name when that differs from the request. */
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
