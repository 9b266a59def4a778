const LONGEST_URL = 2_000;

/** A web address that may be made a link of; anything else, or one too long for a link, is none. */
export function safeUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > LONGEST_URL) return undefined;
  return url.href;
}
