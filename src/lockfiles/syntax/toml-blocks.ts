import { type BlockMemo, lineFeeds } from './block-memo.ts';
import { isTable, parseToml, type Table } from './parse-toml.ts';

/** A TOML file and the lines of the tables of one list in it. */
export interface TomlTables {
  readonly root: Table;
  /** The 1-based line of a table by its index; `undefined` for tables in another notation. */
  readonly lines: (index: number) => number | undefined;
}

/** Parses a text whose packages are the tables `[[list]]`. Throws as `parseToml` does. */
export function parseTomlTables(text: string, path: string, list: string, memo?: BlockMemo): TomlTables {
  const known = memo && inBlocks(text, path, list, memo);
  return known ?? { root: parseToml(text, path), lines: tableLines(text, list) };
}

/**
 * Parses the text by blocks, which begin at the tables of the list: texts that are TOML each are TOML together, and mean the same unless
 * one defines what another does. `undefined` where that is not sure.
 */
function inBlocks(text: string, path: string, list: string, memo: BlockMemo): TomlTables | undefined {
  const [head = '', ...rest] = text.split(`\n[[${list}]]\n`);
  if (rest.length === 0) return undefined;
  const blocks = rest.map((block) => `[[${list}]]\n${block}\n`);
  try {
    const root: Record<string, unknown> = { ...parseToml(`${head}\n`, path) };
    if (Object.hasOwn(root, list)) return undefined;
    const tables: unknown[] = [];
    const lines: (number | undefined)[] = [];
    let line = lineFeeds(head) + 1;
    for (const one of memo.read(blocks, (block) => blockOf(block, path, list))) {
      const { [list]: own, ...others } = one.root;
      for (const [key, value] of Object.entries(others)) {
        if (Object.hasOwn(root, key)) return undefined;
        root[key] = value;
      }
      if (!Array.isArray(own) || own.length !== 1 || !isTable(own[0])) return undefined;
      tables.push(own[0]);
      lines.push(one.line === undefined ? undefined : line + one.line);
      line += one.feeds;
    }
    root[list] = tables;
    return { root, lines: (index) => lines[index] };
  } catch {
    // The whole text is not TOML, which its own parsing reports, or its blocks alone are not.
    return undefined;
  }
}

function blockOf(block: string, path: string, list: string) {
  return { root: parseToml(block, path), line: tableLines(block, list)(0), feeds: lineFeeds(block) };
}

const MULTI_LINE = /"""|'''/g;

/**
 * Returns the 1-based line of a table `[[header]]` in a TOML text by its index: that of its `name` key, or of the header
 * where it has no name. `undefined` for tables in another notation.
 */
function tableLines(text: string, header: string): (index: number) => number | undefined {
  const lines: number[] = [];
  const opening = new RegExp(`^\\s*\\[\\[\\s*(?:${header}|"${header}")\\s*\\]\\]\\s*(?:#.*)?$`, 's');
  let inTable = false;
  let quote: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (quote === undefined && line.includes('[')) {
      if (opening.test(line)) {
        lines.push(index + 1);
        inTable = true;
        continue;
      }
      if (/^\s*\[/.test(line) && !line.trimEnd().endsWith(',')) inTable = false;
    }
    if (quote === undefined && inTable && /^\s*(?:name|"name")\s*=/.test(line)) {
      lines[lines.length - 1] = index + 1;
      inTable = false;
    }
    quote = quoteAfter(line, quote);
  }
  return (index) => lines[index];
}

/** The multi-line quote that is open after a line. */
function quoteAfter(line: string, before: string | undefined): string | undefined {
  if (!line.includes('"""') && !line.includes("'''")) return before;
  let open = before;
  for (const [mark] of line.matchAll(MULTI_LINE)) {
    if (open === undefined) open = mark;
    else if (open === mark) open = undefined;
  }
  return open;
}
