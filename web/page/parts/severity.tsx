import type { FindingBody } from '../../../src/model/api/lockhound-api.generated.ts';

export type Severity = FindingBody['severity'];

/** Worst first. An unrated finding counts as what the policy says; lists of counts show it apart. */
export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'unrated', 'low', 'none'];

/** Those that a filter can name. */
export const RATED = ['critical', 'high', 'medium', 'low', 'none'] as const;

/** The name of a severity with its colour. */
export function SeverityBadge({ severity }: { readonly severity: string }) {
  return <span class={`badge s-${severity}`}>{severity}</span>;
}
