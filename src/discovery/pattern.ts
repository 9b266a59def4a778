const patterns = new Map<string, RegExp | undefined>();

/**
 * Whether a text matches a document's regular expression ("pattern"). An expression in a dialect that JavaScript does
 * not read matches everything: the service checks it, we cannot.
 */
export function matchesPattern(source: string, text: string): boolean {
  if (!patterns.has(source)) patterns.set(source, compile(source));
  return patterns.get(source)?.test(text) ?? true;
}

function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}
