/** The metadata is at the beginning of the file. */
const HEAD_BYTES = 4_096;

/**
 * The version of yarn's cache for which a berry lockfile states its checksums; `undefined` for any other file. Checksums of
 * different versions cannot be compared: they are digests of archives that yarn packs itself.
 */
export function cacheKeyOf(content: Buffer): string | undefined {
  const head = content.subarray(0, HEAD_BYTES).toString('utf8');
  return /^__metadata:\r?\n(?: .*\r?\n)*? {2}cacheKey: "?([\w.]+)"?[ \t]*\r?$/m.exec(head)?.[1];
}
