import type { ScanReport } from '../model/scan/verdict.ts';
import { renderJson } from './json.ts';
import type { TextOptions } from './layout.ts';
import { renderText } from './text.ts';

export interface Report {
  readonly name: string;
  render(report: ScanReport, options: TextOptions): string;
}

/** Every output format of a scan. */
export const REPORTS: readonly Report[] = [
  { name: 'table', render: renderText },
  { name: 'json', render: renderJson },
];
