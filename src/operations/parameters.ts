import { duration } from '../config/values.ts';
import { Refusal } from './refusal.ts';

/** A duration before now (`2h`), or a time, in ms since 1970. `name`: of the parameter. Throws `Refusal`. */
export function sinceOf(text: string | undefined, name = 'since'): number | undefined {
  if (text === undefined) return undefined;
  const ago = duration.safeParse(text);
  if (ago.success) return Date.now() - ago.data;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const expected = 'a time such as 2026-05-01T08:00:00Z, or a duration such as `2h` or `3d`';
  throw new Refusal(400, 'invalid-parameter', `${name}: expected ${expected}`);
}

/** A duration in ms. Throws `Refusal`. */
export function durationIn(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const { data } = duration.safeParse(text);
  if (data !== undefined) return data;
  throw new Refusal(400, 'invalid-parameter', `${name}: expected a duration such as \`24h\` or \`3d\``);
}

/** Words of a search. Each is compared with every entry of a list. */
const MAX_WORDS = 20;

/** The words of a search in lower case, each once. Throws `Refusal` for too many. */
export function searchWords(search = ''): readonly string[] {
  const words = [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length <= MAX_WORDS) return words;
  throw new Refusal(400, 'invalid-parameter', `search has at most ${MAX_WORDS} words`);
}

type Labels = Readonly<Record<string, string>>;

/** `name=value` texts as labels. */
export function labelsOf(texts: readonly string[] | undefined): Labels | undefined {
  if (texts === undefined) return undefined;
  return Object.fromEntries(
    texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
}

/** Returns a test of whether a target has all of these labels (`name=value`). `undefined` where there are none. */
export function labelTest(
  texts: readonly string[] | undefined,
): ((target: { readonly labels: Labels }) => boolean) | undefined {
  const wanted = labelsOf(texts);
  if (wanted === undefined) return undefined;
  const entries = Object.entries(wanted);
  return ({ labels }) =>
    entries.every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value);
}
