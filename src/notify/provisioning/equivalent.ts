import { isDeepStrictEqual } from 'node:util';
import { markQuoted, splitTemplate } from '../rendering/template.ts';
import { DEFAULT_PAYLOAD } from '../webhooks/default-payload.ts';
import { parseHeaders } from '../webhooks/definition.ts';

/** Payload templates: null is the default payload; spacing and the order of keys say nothing. */
export function samePayload(left: string | null, right: string | null): boolean {
  const [one, other] = [left ?? DEFAULT_PAYLOAD, right ?? DEFAULT_PAYLOAD];
  if (one === other) return true;
  const [parsed, otherParsed] = [parseTemplate(one), parseTemplate(other)];
  return parsed !== undefined && otherParsed !== undefined && isDeepStrictEqual(parsed, otherParsed);
}

/** URL templates: a platform may write `https://a.example` as `https://a.example/`. */
export function sameUrl(left: string, right: string): boolean {
  if (left === right) return true;
  const [one, other] = [URL.parse(left), URL.parse(right)];
  return one !== null && other !== null && one.href === other.href;
}

/** `custom_headers` as JSON objects; null is none. */
export function sameHeaders(left: string | null, right: string | null): boolean {
  const [one, other] = [parseHeaders(left), parseHeaders(right)];
  return one !== undefined && other !== undefined && isDeepStrictEqual(one, other);
}

/** JSON in which variables may stand unquoted. */
function parseTemplate(template: string): { readonly value: unknown } | undefined {
  const pieces = markQuoted(splitTemplate(template, () => true));
  const text = pieces.map((piece) => {
    if ('text' in piece) return piece.text;
    // Marked, so that `$A` and `"$A"` differ.
    return piece.quoted ? `$${piece.variable}` : JSON.stringify({ '\0variable': piece.variable });
  });
  try {
    return { value: JSON.parse(text.join('')) };
  } catch {
    return undefined;
  }
}
