import { readTextSync } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import type { Suppression } from '../../model/scan/suppression.ts';
import { readVex } from '../../policy/suppressions/vex/read-vex.ts';
import { ConfigError } from '../errors.ts';

const MAX_BYTES = 67_108_864;

/** What the VEX documents of the configuration suppress. Throws `ConfigError` (`config-invalid`) with the path of a document. */
export function readVexDocuments(paths: readonly string[]): readonly Suppression[] {
  return paths.flatMap((path) => {
    const read = readVex(textOf(path).replace(/^\ufeff/, ''));
    if (typeof read === 'string') throw new ConfigError('config-invalid', `vex: ${path} ${read}`);
    return read.suppressions;
  });
}

function textOf(path: string): string {
  try {
    return readTextSync(path, MAX_BYTES);
  } catch (error) {
    throw new ConfigError('config-invalid', `vex: ${messageOf(error)}`, { cause: error });
  }
}
