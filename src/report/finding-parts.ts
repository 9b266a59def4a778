import { printable } from '../model/printable.ts';
import type { Finding, Priority } from '../model/scan/finding.ts';
import type { Suppressed } from '../model/scan/suppression.ts';

/** The versions of the package that clear its findings, one for each lockfile that needs another one. */
export function fixedVersion({ fixes = [] }: Pick<Finding, 'fixes'>): string | undefined {
  const versions = fixes.flatMap(({ kind, version }) => (kind === 'none' ? [] : (version ?? [])));
  return versions.length === 0 ? undefined : [...new Set(versions)].join(', ');
}

/** `priority 82: CVSS 9.8, known to be exploited since 2021-12-10, EPSS 94 %`. */
export function priorityText({ score, parts }: Priority): string {
  return printable(`priority ${score}: ${parts.map(({ reason }) => reason).join(', ')}`);
}

/** `suppressed by web until 2027-01-31T00:00:00.000Z: not reachable (suppressions[0])`, for people. */
export function suppressionText({ by, author, expires, reason }: Suppressed): string {
  const who = author === undefined ? '' : ` by ${author}`;
  const until = expires === undefined ? '' : ` until ${expires}`;
  return `suppressed${who}${until}: ${reason} (${by})`;
}

/** An address of the web in canonical form; `undefined` for anything else, such as `javascript:`. Addresses come from outside. */
export function webAddress(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
