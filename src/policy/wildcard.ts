/** Whether a value equals a pattern in which `*` matches any text, including an empty one. Linear in their lengths. */
export function matchesWildcard(pattern: string, value: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === value;
  const last = rest.pop() ?? '';
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= value.length - last.length;
}
