import { printable } from '../model/printable.ts';
import type { Priority } from '../model/scan/finding.ts';

/** `priority 82: CVSS 9.8, known to be exploited since 2021-12-10, EPSS 94 %`. */
export function priorityText({ score, parts }: Priority): string {
  return printable(`priority ${score}: ${parts.map(({ reason }) => reason).join(', ')}`);
}
