/** Whether a name matches one of the patterns, in any case, with `*` for any text: `@corp/*`. */
export function privateNames(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => false;
  const sources = patterns.map((pattern) => pattern.split('*').map(escapeExpression).join('.*'));
  const expression = new RegExp(`^(?:${sources.join('|')})$`, 'is');
  return (name) => expression.test(name);
}

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
