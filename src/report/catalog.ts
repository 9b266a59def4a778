import type { ScanReport } from '../model/scan/scan-report.ts';
import { renderJson } from './json.ts';
import { renderText } from './text.ts';
import type { TextOptions } from './text-options.ts';

export interface Report {
  readonly name: string;
  render(report: ScanReport, options: TextOptions): string;
}

/** Every output format of a scan. */
export const REPORTS: readonly Report[] = [
  { name: 'table', render: renderText },
  { name: 'json', render: renderJson },
];
