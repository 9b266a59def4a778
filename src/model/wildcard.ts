/** Whether a value equals a pattern in which `*` matches any text, including an empty one. Linear in their lengths. */
export function matchesWildcard(pattern: string, value: string): boolean {
  // Most patterns are plain texts, and each target is compared with all of them.
  if (!pattern.includes('*')) return pattern === value;
  const [first = '', ...rest] = pattern.split('*');
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

/** Whether labels have all of some others. `*` in a value of `wanted` matches any text. */
export function hasLabels(
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => Object.hasOwn(labels, name) && matchesWildcard(value, labels[name] ?? ''),
  );
}
