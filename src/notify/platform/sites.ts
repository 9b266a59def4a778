import { NotifyError } from '../errors.ts';

/** Sites of the public deployment (field notes, "Webhook-integration API"). */
export const SITES: readonly string[] = [
  ...['datadoghq.com', 'us3.datadoghq.com', 'us5.datadoghq.com', 'datadoghq.eu'],
  ...['ap1.datadoghq.com', 'ap2.datadoghq.com', 'ddog-gov.com'],
];

/** Base URL of a site. Throws `NotifyError` (`site-unknown`). */
export function siteUrl(site: string): string {
  if (SITES.includes(site)) return `https://api.${site}`;
  throw new NotifyError('site-unknown', `"${site}" is none of the platform's sites: ${SITES.join(', ')}`);
}
