/** A piece of a template: literal text, or a known variable. */
export type Piece = { readonly text: string } | { readonly variable: string };

/**
 * Splits at `$NAME`, where NAME is the longest known name that follows the `$`. Without a known name the `$` stays text.
 * `$TAGS[name]` is the variable `TAGS[name]`.
 */
export function splitTemplate(template: string, isKnown: (name: string) => boolean): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (const match of template.matchAll(/\$([A-Z0-9_]+)/g)) {
    const name = longestKnown(match[1] ?? '', isKnown);
    if (name === undefined) continue;
    const tag = name === 'TAGS' ? tagAt(template, match.index + '$TAGS'.length) : '';
    if (match.index > start) pieces.push({ text: template.slice(start, match.index) });
    pieces.push({ variable: name + tag });
    start = match.index + 1 + name.length + tag.length;
  }
  if (start < template.length) pieces.push({ text: template.slice(start) });
  return pieces;
}

/** The undefined names that a template uses, each once. */
export function unknownNames(template: string, isKnown: (name: string) => boolean): readonly string[] {
  const names = [...template.matchAll(/\$([A-Z0-9_]+)/g)].map(([, name = '']) => name);
  return [...new Set(names.filter((name) => longestKnown(name, isKnown) === undefined))];
}

/** Names that only begin with a known name and continue with a letter or digit. */
export function partlyKnownNames(
  template: string,
  isKnown: (name: string) => boolean,
): readonly { readonly written: string; readonly known: string }[] {
  return [...template.matchAll(/\$([A-Z0-9_]+)/g)].flatMap(([, written = '']) => {
    const known = longestKnown(written, isKnown);
    return known !== undefined && /[A-Z0-9]/.test(written.slice(known.length)) ? [{ written, known }] : [];
  });
}

/** A piece of a JSON template: whether it begins inside a JSON string (`quoted`) and after an open backslash (`escaped`). */
export type JsonPiece = Piece & { readonly quoted: boolean; readonly escaped: boolean };

/** Tracks strings and escapes through the pieces; the value of a variable cannot end a string. */
export function markQuoted(pieces: readonly Piece[]): readonly JsonPiece[] {
  let quoted = false;
  let escaped = false;
  const marked: JsonPiece[] = [];
  for (const piece of pieces) {
    marked.push({ ...piece, quoted, escaped });
    if ('variable' in piece) escaped = false;
    for (const character of 'text' in piece ? piece.text : '') {
      if (escaped) escaped = false;
      else if (quoted && character === '\\') escaped = true;
      else if (character === '"') quoted = !quoted;
    }
  }
  return marked;
}

function longestKnown(run: string, isKnown: (name: string) => boolean): string | undefined {
  for (let length = run.length; length > 0; length -= 1) {
    const name = run.slice(0, length);
    if (isKnown(name)) return name;
  }
  return undefined;
}

/** `[name]` at this position; characters that could end a string or a list are not part of a name. */
function tagAt(template: string, start: number): string {
  return /^\[[\w.-]{1,200}\]/.exec(template.slice(start, start + 202))?.[0] ?? '';
}
