import { CallError, type Params, reasonOf, urlOf } from '../api/call.ts';
import { METHODS } from '../api/methods.generated.ts';

/** The formats of a report of findings, with the ends of their files. */
export const FORMATS = [
  ['sarif', 'SARIF', 'sarif'],
  ['json', 'JSON', 'json'],
  ['cyclonedx', 'CycloneDX with vulnerabilities (VEX)', 'cdx.json'],
  ['csv', 'CSV, for spreadsheets', 'csv'],
  ['html', 'HTML, to be read without a server', 'html'],
  ['markdown', 'Markdown', 'md'],
] as const;

/** Saves the findings that fit as a report. Throws `CallError`. */
export async function downloadFindings(
  filters: Omit<Params<'lockhound.findings.report'>, 'format'>,
  format: string,
): Promise<void> {
  const [, , suffix = 'txt'] = FORMATS.find(([name]) => name === format) ?? [];
  const { path } = METHODS['lockhound.findings.report'];
  const answer = await fetch(`/api/v1/${urlOf(path, { ...filters, format })}`);
  if (!answer.ok) throw new CallError(answer.status, await reasonOf(answer));
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = `findings.${suffix}`;
  link.click();
  URL.revokeObjectURL(address);
}
