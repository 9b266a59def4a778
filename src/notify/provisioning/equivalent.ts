import { isDeepStrictEqual } from 'node:util';
import { markQuoted, splitTemplate } from '../rendering/template.ts';
import { DEFAULT_PAYLOAD, parseHeaders } from '../webhooks/definition.ts';

/** Compares payload templates as JSON; null is the default payload. */
export function samePayload(left: string | null, right: string | null): boolean {
  const [one, other] = [left ?? DEFAULT_PAYLOAD, right ?? DEFAULT_PAYLOAD];
  if (one === other) return true;
  const [parsed, otherParsed] = [parseTemplate(one), parseTemplate(other)];
  return parsed !== undefined && otherParsed !== undefined && isDeepStrictEqual(parsed, otherParsed);
}

/** Compares URL templates; a platform may write `https://a.example` as `https://a.example/`. */
export function sameUrl(left: string, right: string): boolean {
  if (left === right) return true;
  const [one, other] = [URL.parse(left), URL.parse(right)];
  return one !== null && other !== null && one.href === other.href;
}

/** Compares `custom_headers` as JSON objects; null is an empty one. */
export function sameHeaders(left: string | null, right: string | null): boolean {
  const [one, other] = [parseHeaders(left), parseHeaders(right)];
  return one !== undefined && other !== undefined && isDeepStrictEqual(one, other);
}

/** Parses JSON that may hold unquoted variables. */
function parseTemplate(template: string): { readonly value: unknown } | undefined {
  const pieces = markQuoted(splitTemplate(template, () => true));
  const text = pieces.map((piece) => {
    if ('text' in piece) return piece.text;
    // An object, so that `$A` and `"$A"` differ.
    return piece.quoted ? `$${piece.variable}` : JSON.stringify({ '\0variable': piece.variable });
  });
  try {
    return { value: JSON.parse(text.join('')) };
  } catch {
    return undefined;
  }
}
