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

/** A pattern of `.gitignore` with more of them can take exponential time. */
const MAX_DOUBLE_STARS = 2;
/** A longer one exceeds what an expression may have. No path is as long. */
const MAX_PATTERN_CHARACTERS = 4_096;

/** Whether a pattern in the notation of `.gitignore` is one that is compared in bounded time. Others match nothing. */
export function isBoundedPattern(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN_CHARACTERS && pattern.split('**').length - 1 <= MAX_DOUBLE_STARS;
}
