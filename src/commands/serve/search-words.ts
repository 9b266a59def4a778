import { Refusal } from '../../server/api/problem.ts';

/** Words of a search. Each is compared with every entry of a list. */
const MAX_WORDS = 20;

/** The words of a search in lower case, each once. Throws `Refusal` for too many. */
export function searchWords(search = ''): readonly string[] {
  const words = [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length <= MAX_WORDS) return words;
  throw new Refusal(400, 'invalid-parameter', `search has at most ${MAX_WORDS} words`);
}
