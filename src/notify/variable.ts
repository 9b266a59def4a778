/** What a `$NAME` stands for. */
export interface Variable {
  readonly text: string;
  /** Whether `text` is JSON that may stand as a whole value where the template does not quote it. */
  readonly json: boolean;
}

export type Variables = ReadonlyMap<string, Variable>;

export function textVariable(text: string): Variable {
  return { text, json: false };
}

export function jsonVariable(value: unknown): Variable {
  return { text: JSON.stringify(value), json: true };
}

/** A piece of a template: text as it stands, or the variable that takes its place. */
export type Piece = { readonly literal: string } | { readonly name: string; readonly variable: Variable };

/**
 * Cuts a template at its variables, each `$NAME` being the longest known name that fits; a `$` that begins none stays as
 * it is. Values are pieces of their own, so what they contain is never looked at for variables.
 */
export function piecesOf(template: string, variables: Variables): readonly Piece[] {
  const pieces: Piece[] = [];
  let literal = '';
  for (let at = 0; at < template.length; ) {
    const run =
      template[at] === '$' ? /^[A-Z0-9_]+/.exec(template.slice(at + 1, at + 1 + 256))?.[0] : undefined;
    const name = run === undefined ? undefined : longestName(run, variables);
    const variable = name === undefined ? undefined : variables.get(name);
    if (name === undefined || variable === undefined) {
      literal += template[at];
      at += 1;
      continue;
    }
    if (literal !== '') pieces.push({ literal });
    literal = '';
    pieces.push({ name, variable });
    at += 1 + name.length;
  }
  if (literal !== '') pieces.push({ literal });
  return pieces;
}

function longestName(run: string, variables: Variables): string | undefined {
  for (let length = run.length; length > 0; length -= 1) {
    if (variables.has(run.slice(0, length))) return run.slice(0, length);
  }
  return undefined;
}
