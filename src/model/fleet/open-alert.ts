import { findingSchema } from '../scan/finding.ts';
import type { ValueOf } from '../stored/value-of.ts';

/**
 * The common part of open alerts of several targets: a finding without its fingerprint, places and advice. It is stored once for the
 * fleet, so that lists and counts of the whole fleet read no states.
 */
export type OpenAlert = ValueOf<typeof openAlertSchema>;

export const openAlertSchema = findingSchema.pick({
  rule: true,
  level: true,
  severity: true,
  countsAs: true,
  stepsLess: true,
  title: true,
  package: true,
  advisory: true,
  issue: true,
  kev: true,
  epss: true,
});
