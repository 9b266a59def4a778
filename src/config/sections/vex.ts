import { readTextSync } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import type { Suppression } from '../../model/scan/suppression.ts';
import { isOlder } from '../../policy/suppressions/vex/issue.ts';
import { ConfigError } from '../errors.ts';
import { type NotAppliedAt, readVexText, type VexFile } from './vex-text.ts';

const MAX_BYTES = 67_108_864;

/** A statement of a VEX document of the configuration that suppresses nothing, and why. */
export interface NotAppliedIn extends NotAppliedAt {
  /** The document, as the configuration names it. */
  readonly path: string;
}

/** The content of the VEX documents of the configuration. */
export interface ConfiguredVex {
  readonly suppressions: readonly Suppression[];
  readonly notApplied: readonly NotAppliedIn[];
}

/** Reads the VEX documents of the configuration. Throws `ConfigError` (`config-invalid`) with the path of a document. */
export function readVexDocuments(paths: readonly string[]): ConfiguredVex {
  const documents = paths.map((path) => {
    const read = readVexText(textOf(path));
    if (typeof read === 'string') throw new ConfigError('config-invalid', `vex: ${path} ${read}`);
    return { path, ...read };
  });
  return joinVex(documents);
}

/** The content of several VEX documents as one. */
export function joinVex(documents: readonly (VexFile & { readonly path: string })[]): ConfiguredVex {
  const replacing = documents.map((one) =>
    documents.find(({ id, issue }) => id === one.id && isOlder(one.issue, issue)),
  );
  return {
    suppressions: documents.flatMap(({ suppressions }, index) =>
      replacing[index] === undefined ? suppressions : [],
    ),
    notApplied: documents.flatMap(({ path, notApplied }, index) => {
      const later = replacing[index];
      if (later === undefined) return notApplied.map((one) => ({ path, ...one }));
      const reason = `is not applied: ${later.path} is a later version of the document`;
      return [{ path, line: 1, statement: 'document', reason }];
    }),
  };
}

function textOf(path: string): string {
  try {
    return readTextSync(path, MAX_BYTES);
  } catch (error) {
    throw new ConfigError('config-invalid', `vex: ${messageOf(error)}`, { cause: error });
  }
}
