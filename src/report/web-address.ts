/** An address of the web in canonical form; `undefined` for anything else, such as `javascript:`. Addresses come from outside. */
export function webAddress(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
