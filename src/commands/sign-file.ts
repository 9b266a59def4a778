import { sign } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { readKey } from '../advisories/bundle.ts';
import { readFile } from '../files/read-file.ts';

/** Larger results are not signed: a signature needs the whole content. */
const MAX_BYTES = 1_073_741_824;

/**
 * Reads the private Ed25519 key at `keyPath`, removes the signature of an earlier file, and returns a function that signs the file once it is
 * written: its Ed25519 signature (RFC 8032) in Base64, on one line. Throws `AdvisoryError` (`not-verified`) and `FileError`.
 */
export async function signFile(keyPath: string, path: string): Promise<() => Promise<string>> {
  const key = await readKey(keyPath, 'private');
  await rm(`${path}.sig`, { force: true });
  return async () => {
    const content = await readFile(path, { maxBytes: MAX_BYTES });
    return `${sign(null, content, key).toString('base64')}\n`;
  };
}
