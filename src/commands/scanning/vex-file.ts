import { ConfigError } from '../../config/errors.ts';
import { type ConfiguredVex, joinVex } from '../../config/sections/vex.ts';
import { readVexText, type VexFile } from '../../config/sections/vex-text.ts';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';

/** Reads an OpenVEX or CycloneDX VEX document. Throws `FileError`, and `ConfigError` (`config-invalid`) for any other file. */
export async function readVexFile(path: string): Promise<VexFile> {
  const content = await readFile(path, { maxBytes: MAX_INPUT_BYTES });
  const read = readVexText(content.toString('utf8'));
  if (typeof read === 'string') throw new ConfigError('config-invalid', `${path} ${read}`);
  return read;
}

/** The content of several documents. Throws as `readVexFile`. */
export async function readVexFiles(paths: readonly string[]): Promise<ConfiguredVex> {
  return joinVex(await Promise.all(paths.map(async (path) => ({ path, ...(await readVexFile(path)) }))));
}
