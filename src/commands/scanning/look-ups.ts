import type { LoadedConfig } from '../../config/load.ts';
import { printableUrl } from '../../http/errors.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { ScanError } from '../errors.ts';

/** An index without any of so many packages is not one of public packages. */
const MIN_MISSING = 5;

/**
 * Returns the report. Throws `ScanError` (`insights-unreachable`) when no look-up succeeded, because the report is then
 * empty.
 */
export function requireLookUps(
  report: ScanReport,
  { config }: LoadedConfig,
  offlineFolder: string | undefined,
): ScanReport {
  const { counts, gaps, image } = report.verdict;
  const { outcomes } = counts;
  const imageGap = gaps.find(({ kind }) => kind === 'image');
  if (image !== undefined && counts.lockfiles === 0 && imageGap !== undefined) {
    throw new ScanError('insights-unreachable', `the base of ${imageGap.subject}: ${imageGap.reason}`);
  }
  const isEmpty =
    outcomes.missing >= MIN_MISSING && outcomes.resolved + outcomes.uncovered + outcomes.failed === 0;
  if (isEmpty) {
    throw new ScanError(
      'insights-unreachable',
      `${printableUrl(config.insights.url)} has none of the ${outcomes.missing} packages: it seems to have no data. ` +
        'Check insights.url; if they are private, list their names in insights.privatePackages.',
    );
  }
  if (outcomes.failed === 0 || outcomes.resolved + outcomes.missing + outcomes.uncovered > 0) return report;
  if (offlineFolder !== undefined) {
    throw new ScanError(
      'insights-unreachable',
      `no package is in the cache ${offlineFolder}: scan once without --offline, with the same insights.url and --cache-dir${withImported(config)}`,
    );
  }
  const gap = report.verdict.gaps.find(({ kind }) => kind === 'package');
  throw new ScanError(
    'insights-unreachable',
    `no package could be looked up at ${printableUrl(config.insights.url)}: ${gap?.reason ?? 'no answer'}\n` +
      'Check the connection and insights.url. `lockhound parse` needs no network. --local needs none either, but its ' +
      `data covers little more than examples/shop; other packages are reported as uncovered${withImported(config)}.`,
  );
}

/** How to scan without the service, where imported advisories are no source. */
function withImported({ insights }: LoadedConfig['config']): string {
  if (insights.sources.includes('osv')) return '';
  return '; or scan with imported advisories (`lockhound data import osv`, then LOCKHOUND_INSIGHTS_SOURCES=osv)';
}
