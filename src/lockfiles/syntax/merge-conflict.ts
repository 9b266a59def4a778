const MARK = /^(?:<{7}|>{7}) .*$/m;

/** 1-based line of the first merge conflict marker; `undefined` without a marker. */
export function conflictLine(text: string): number | undefined {
  const at = MARK.exec(text)?.index;
  if (at === undefined) return undefined;
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}
