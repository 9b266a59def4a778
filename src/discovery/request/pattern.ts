const patterns = new Map<string, RegExp | undefined>();

/** Means something in other dialects and letters or brackets in JavaScript: `\A`, `\z`, `\Q…\E`, `[[:alpha:]]`, `[a&&[b]]`. */
const FOREIGN = /\\[AzZQEGhHRX]|\[:\^?\w+:\]|&&\[/;

/**
 * Whether a text matches a document's regular expression ("pattern"). An expression in a dialect that JavaScript does
 * not read matches everything: the service checks it, we cannot.
 */
export function matchesPattern(source: string, text: string): boolean {
  if (!patterns.has(source)) patterns.set(source, compile(source));
  return patterns.get(source)?.test(text) ?? true;
}

/** By code points first: `\p{L}` is a letter only there. It refuses escapes that need none (`\_`), which the rest reads. */
function compile(source: string): RegExp | undefined {
  if (FOREIGN.test(source)) return undefined;
  for (const flags of /\\p\{/i.test(source) ? ['u'] : ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // The next flags may read it.
    }
  }
  return undefined;
}
