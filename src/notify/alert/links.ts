import type { Alert } from './alert.ts';

const MAX_URL = 2_000;

/** The page with the details: `notify.link`, else the advisory of the worst change; empty when there is neither. */
export function linkOf({ link, totals }: Alert): string {
  return link ?? totals.worst?.finding.advisory?.url ?? '';
}

/** The same as a URL that receivers can link to; `undefined` when it is not one. */
export function detailsUrl(alert: Alert): string | undefined {
  return safeUrl(linkOf(alert));
}

/** The text as an http or https URL of at most 2,000 characters; `undefined` for anything else. */
export function safeUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MAX_URL) return undefined;
  return url.href;
}
