import { ConfigError } from '../../config/errors.ts';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';
import type { VexDocument } from '../../policy/suppressions/vex/document.ts';
import { readVex } from '../../policy/suppressions/vex/read-vex.ts';

/** Reads an OpenVEX or CycloneDX VEX document. Throws `FileError`, and `ConfigError` (`config-invalid`) for any other file. */
export async function readVexFile(path: string): Promise<VexDocument> {
  const content = await readFile(path, { maxBytes: MAX_INPUT_BYTES });
  const read = readVex(content.toString('utf8').replace(/^\ufeff/, ''));
  if (typeof read === 'string') throw new ConfigError('config-invalid', `${path} ${read}`);
  return read;
}
