import type { ScanReport } from '../model/scan/verdict.ts';
import { renderJson } from './json.ts';
import type { TextOptions } from './layout.ts';
import { renderText } from './text.ts';

export interface Report {
  readonly name: string;
  /** The parts of the output, to be written one after the other. */
  render(report: ScanReport, options: TextOptions): Iterable<string>;
}

/** Every output format of a scan. */
export const REPORTS: readonly Report[] = [
  { name: 'table', render: (report, options) => [renderText(report, options)] },
  { name: 'json', render: renderJson },
];
