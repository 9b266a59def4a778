/**
 * The `format`s of texts ("format"). Integer formats are in `numbers.ts`; a format that is in neither is unknown, and every
 * text fits it.
 */
const TEXT_FORMATS: ReadonlyMap<string, readonly [fits: (text: string) => boolean, what: string]> = new Map([
  ['byte', [isBase64, 'base64']],
  ['date', [isDate, 'a date such as 2026-11-21']],
  ['date-time', [isDateTime, 'a time such as 2026-11-21T10:00:00Z']],
  ['google-datetime', [isDateTime, 'a time such as 2026-11-21T10:00:00Z']],
  ['google-duration', [isDuration, 'a duration such as 3.5s']],
  ['google-fieldmask', [isFieldMask, 'field names separated by commas, such as title,author.name']],
]);

/** The fault of a text of that format: `has to be base64`; `undefined` when it fits or the format is unknown. */
export function textFormatProblem(format: string | undefined, text: string): string | undefined {
  const known = format === undefined ? undefined : TEXT_FORMATS.get(format);
  return known === undefined || known[0](text) ? undefined : `has to be ${known[1]}`;
}

/** In either alphabet, with or without padding, as decoders accept it. */
function isBase64(text: string): boolean {
  return (
    /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/.test(text) && text.replace(/(?<!=)=+$/, '').length % 4 !== 1
  );
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number);
  const date = new Date(`${text}T00:00:00Z`);
  return date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

/** RFC 3339, leap seconds included. */
function isDateTime(text: string): boolean {
  const match = /^(.{10})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/.exec(text);
  if (match === null) return false;
  const [, date = '', hour, minute, second, offsetHour = '0', offsetMinute = '0'] = match;
  return (
    isDate(date) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) <= 60 &&
    Number(offsetHour) < 24 &&
    Number(offsetMinute) < 60
  );
}

function isDuration(text: string): boolean {
  return /^-?\d{1,12}(?:\.\d{1,9})?s$/.test(text);
}

function isFieldMask(text: string): boolean {
  const path = /^(?:\*|[A-Za-z_]\w*(?:\.(?:\*|\w+|`[^`]*`))*)$/;
  return text === '' || text.split(',').every((part) => path.test(part.trim()));
}

const patterns = new Map<string, RegExp | undefined>();

/** Syntax of other dialects that JavaScript reads as literals: `\A`, `\z`, `\Q…\E`, `[[:alpha:]]`, `[a&&[b]]`. */
const FOREIGN = /\\[AzZQEGhHRX]|\[:\^?\w+:\]|&&\[/;

/**
 * Whether a text matches a regular expression of a document ("pattern"). An expression in a dialect that JavaScript does not
 * support matches every text; the service checks it.
 */
export function matchesPattern(source: string, text: string): boolean {
  if (!patterns.has(source)) patterns.set(source, compile(source));
  return patterns.get(source)?.test(text) ?? true;
}

/** Tries code points first, which `\p{L}` needs; that mode refuses needless escapes such as `\_`. */
function compile(source: string): RegExp | undefined {
  if (FOREIGN.test(source)) return undefined;
  for (const flags of /\\p\{/i.test(source) ? ['u'] : ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Tries the next flags.
    }
  }
  return undefined;
}
