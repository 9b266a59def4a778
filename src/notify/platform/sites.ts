import { NotifyError } from '../errors.ts';

/** The seven sites of the platform; an account belongs to one of them. */
export const SITES = [
  'datadoghq.com',
  'us3.datadoghq.com',
  'us5.datadoghq.com',
  'datadoghq.eu',
  'ap1.datadoghq.com',
  'ap2.datadoghq.com',
  'ddog-gov.com',
] as const;

/** Base URL of the API on a site, without a trailing slash. Throws `NotifyError` (`url-invalid`) for an unknown one. */
export function baseUrlOf(site: string): string {
  const known = SITES.find((name) => name === site.trim().toLowerCase());
  if (known !== undefined) return `https://api.${known}`;
  throw new NotifyError(
    'url-invalid',
    `${JSON.stringify(site)} is not a site of the webhook-integration API: use one of ${SITES.join(', ')}, or give its base URL`,
  );
}

/** Base URL of a configured platform, which names its URL or its site. Throws as `baseUrlOf`. */
export function platformUrl({
  url,
  site = '',
}: {
  readonly url?: string | undefined;
  readonly site?: string | undefined;
}): string {
  return url ?? baseUrlOf(site);
}
