import type { DatabaseSync } from 'node:sqlite';
import { isObject } from '../model/json-object.ts';

/** The text of an advisory for people. Parts that its source does not state are absent. */
export interface AdvisoryText {
  /** Markdown of its publisher, at most 4,000 characters. */
  readonly text?: string;
  /** Such as `CWE-79`. */
  readonly weaknesses?: readonly string[];
  /** Addresses of the web. */
  readonly references?: readonly string[];
}

const MAX_TEXT = 4_000;
const MAX_WEAKNESSES = 10;
const MAX_REFERENCES = 20;
const MAX_ADDRESS = 500;

/** Reads the text of a record in the OSV format; `undefined` where it has none. What is malformed is left out. */
export function readAdvisoryText(record: unknown): AdvisoryText | undefined {
  if (!isObject(record)) return undefined;
  const { details, references, database_specific: own } = record;
  const text = typeof details === 'string' ? details.trim() : '';
  const weaknesses = stringsIn(isObject(own) ? own['cwe_ids'] : undefined)
    .filter((id) => /^CWE-\d{1,6}$/.test(id))
    .slice(0, MAX_WEAKNESSES);
  const addresses = (Array.isArray(references) ? references : [])
    .map((one: unknown) => (isObject(one) ? one['url'] : undefined))
    .filter((url) => typeof url === 'string' && url.length <= MAX_ADDRESS && /^https?:\/\//.test(url));
  const found = {
    ...(text === '' ? {} : { text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 2)} …` : text }),
    ...(weaknesses.length === 0 ? {} : { weaknesses }),
    ...(addresses.length === 0
      ? {}
      : { references: [...new Set(addresses)].slice(0, MAX_REFERENCES) as string[] }),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Stores texts. A file of an earlier release gets the table, and texts with its next import. */
export function textWriter(database: DatabaseSync) {
  database.exec('CREATE TABLE IF NOT EXISTS texts (id TEXT PRIMARY KEY, body TEXT)');
  const put = database.prepare('INSERT OR REPLACE INTO texts VALUES (?, ?)');
  const forget = database.prepare('DELETE FROM texts WHERE id = ?');
  return (id: string, text: AdvisoryText | undefined): void => {
    if (text === undefined) forget.run(id);
    else put.run(id, JSON.stringify(text));
  };
}

export function textIn(database: DatabaseSync, id: string): AdvisoryText | undefined {
  const isKept = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'texts'").get() !== undefined;
  const body = isKept ? database.prepare('SELECT body FROM texts WHERE id = ?').get(id)?.['body'] : undefined;
  return body === undefined ? undefined : (JSON.parse(String(body)) as AdvisoryText);
}
