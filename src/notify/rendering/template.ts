/** A template in pieces: text as it stands, and variables that are known. */
export type Piece = { readonly text: string } | { readonly variable: string };

/**
 * Splits at `$NAME`, where NAME is the longest known name that the text goes on with; `$` and whatever follows it stay
 * text when no name fits. `$TAGS[name]` is the variable `TAGS[name]`.
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

/** Names that a template uses and nothing defines, each once. */
export function unknownNames(template: string, isKnown: (name: string) => boolean): readonly string[] {
  const names = [...template.matchAll(/\$([A-Z0-9_]+)/g)].map(([, name = '']) => name);
  return [...new Set(names.filter((name) => longestKnown(name, isKnown) === undefined))];
}

/** Names that are known only by their beginning, and go on with more than `_`. */
export function partlyKnownNames(
  template: string,
  isKnown: (name: string) => boolean,
): readonly { readonly written: string; readonly known: string }[] {
  return [...template.matchAll(/\$([A-Z0-9_]+)/g)].flatMap(([, written = '']) => {
    const known = longestKnown(written, isKnown);
    return known !== undefined && /[A-Z0-9]/.test(written.slice(known.length)) ? [{ written, known }] : [];
  });
}

/** A piece of a JSON template, and where it begins: inside a JSON string, and there behind a lone backslash. */
export type JsonPiece = Piece & { readonly quoted: boolean; readonly escaped: boolean };

/** Follows strings and their escapes through the pieces; what a variable stands for cannot end a string. */
export function markQuoted(pieces: readonly Piece[]): readonly JsonPiece[] {
  let quoted = false;
  let escaped = false;
  return pieces.map((piece) => {
    const marked = { ...piece, quoted, escaped };
    if ('variable' in piece) escaped = false;
    for (const character of 'text' in piece ? piece.text : '') {
      if (escaped) escaped = false;
      else if (quoted && character === '\\') escaped = true;
      else if (character === '"') quoted = !quoted;
    }
    return marked;
  });
}

function longestKnown(run: string, isKnown: (name: string) => boolean): string | undefined {
  for (let length = run.length; length > 0; length -= 1) {
    const name = run.slice(0, length);
    if (isKnown(name)) return name;
  }
  return undefined;
}

/** `[name]` at this place; nothing that could be the end of a string or of a list. */
function tagAt(template: string, start: number): string {
  return /^\[[\w.-]{1,200}\]/.exec(template.slice(start, start + 202))?.[0] ?? '';
}
