const patterns = new Map<string, RegExp | undefined>();

/** Syntax of other dialects that JavaScript reads as literals: `\A`, `\z`, `\Q…\E`, `[[:alpha:]]`, `[a&&[b]]`. */
const FOREIGN = /\\[AzZQEGhHRX]|\[:\^?\w+:\]|&&\[/;

/**
 * Whether a text matches a regular expression of a document ("pattern"). An expression in a dialect that JavaScript does not
 * support matches every text; the service checks it.
 */
export function matchesPattern(source: string, text: string): boolean {
  if (!patterns.has(source)) patterns.set(source, compile(source));
  return patterns.get(source)?.test(text) ?? true;
}

/** Tries code points first, which `\p{L}` needs; that mode refuses needless escapes such as `\_`. */
function compile(source: string): RegExp | undefined {
  if (FOREIGN.test(source)) return undefined;
  for (const flags of /\\p\{/i.test(source) ? ['u'] : ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Tries the next flags.
    }
  }
  return undefined;
}
