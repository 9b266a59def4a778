import type { ScanReport } from '../model/scan/verdict.ts';
import { SPEC_VERSIONS, sourceOfScan } from './cyclonedx/source.ts';
import type { TextOptions } from './layout.ts';

export interface Report {
  readonly name: string;
  /** The parts of the output, to be written one after the other. The renderer is loaded when it is used. */
  render(report: ScanReport, options: TextOptions): Promise<Iterable<string>>;
}

/** Every output format of a scan. */
export const REPORTS: readonly Report[] = [
  {
    name: 'table',
    render: async (report, options) => [(await import('./text.ts')).renderText(report, options)],
  },
  { name: 'json', render: async (report) => (await import('./json.ts')).renderJson(report) },
  { name: 'ndjson', render: async (report) => (await import('./json.ts')).renderNdjson(report) },
  { name: 'sarif', render: async (report) => (await import('./sarif/sarif.ts')).renderSarif(report) },
  ...SPEC_VERSIONS.map(
    (version): Report => ({
      name: version === '1.6' ? 'cyclonedx' : `cyclonedx-${version}`,
      async render(report) {
        const { renderCyclonedx } = await import('./cyclonedx/cyclonedx.ts');
        return renderCyclonedx(sourceOfScan(report), version);
      },
    }),
  ),
  { name: 'csv', render: async (report) => (await import('./csv.ts')).renderCsv(report) },
  { name: 'html', render: async (report) => (await import('./html/html.ts')).renderHtml(report) },
  { name: 'markdown', render: async (report) => [(await import('./markdown.ts')).renderMarkdown(report)] },
];
