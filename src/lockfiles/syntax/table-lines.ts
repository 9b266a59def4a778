const MULTI_LINE = /"""|'''/g;

/**
 * Returns the 1-based line of a table `[[header]]` in a TOML text by its index: that of its `name` key, or of the header
 * where it has no name. `undefined` for tables in another notation.
 */
export function tableLines(text: string, header: string): (index: number) => number | undefined {
  const lines: number[] = [];
  const opening = new RegExp(`^\\s*\\[\\[\\s*(?:${header}|"${header}")\\s*\\]\\]\\s*(?:#[^]*)?$`);
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
