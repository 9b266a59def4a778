import { isMap, isScalar, LineCounter, parseAllDocuments, type YAMLMap } from 'yaml';
import { messageOf } from '../model/errors.ts';
import { LockfileError } from './errors.ts';

/** A document of a YAML text, unchecked, with the lines of its entries. */
export interface YamlDocument {
  readonly content: unknown;
  /** 1-based line of a key of the mapping under `section`; of a key of the document itself where that is `undefined`. */
  line(section: string | undefined, key: string): number | undefined;
}

/** No tool writes any; some stand in for others in files written by hand. */
const MAX_ALIASES = 100;

/**
 * Parses YAML of any kind, slowly: what the readers of single lines do not know. Throws `LockfileError` (`syntax`,
 * `too-deep`), also for aliases that unfold to more than is ever meant.
 */
export function parseYaml(text: string, path: string): readonly YamlDocument[] {
  const lines = new LineCounter();
  try {
    const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'silent' });
    const all = 'empty' in documents ? [] : documents;
    return all.map((document) => {
      const [fault] = document.errors;
      if (fault !== undefined) throw fault;
      const content: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
      const root = isMap(document.contents) ? document.contents : undefined;
      return { content, line: (section, key) => lineOf(root, { section, key, lines }) };
    });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new LockfileError('too-deep', `${path}: the YAML nests too deep to be read`, { cause: error });
    }
    const [at] =
      (error as { readonly linePos?: readonly { readonly line: number; readonly col: number }[] }).linePos ??
      [];
    const place = at === undefined ? path : `${path}:${at.line}:${at.col}`;
    const reason = messageOf(error).split('\n')[0]?.slice(0, 160) ?? '';
    throw new LockfileError('syntax', `${place}: not valid YAML (${reason})`, { cause: error });
  }
}

function lineOf(
  root: YAMLMap | undefined,
  wanted: { readonly section: string | undefined; readonly key: string; readonly lines: LineCounter },
): number | undefined {
  const { section, key, lines } = wanted;
  const within: unknown = section === undefined ? root : root?.get(section);
  if (!isMap(within)) return undefined;
  const pair = within.items.find((one) => isScalar(one.key) && String(one.key.value) === key);
  const range = isScalar(pair?.key) ? pair.key.range : undefined;
  return range === null || range === undefined ? undefined : lines.linePos(range[0]).line;
}
