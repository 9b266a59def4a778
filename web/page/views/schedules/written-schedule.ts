import type { JsonObject, NewSchedule, Schedule } from '../../../../src/model/api/lockhound-api.generated.ts';
import { durationText } from '../../../../src/model/duration.ts';

/** Kinds of sources, with the property that has their addresses. */
export const KINDS = {
  git: { name: 'git repositories', addresses: 'repositories' },
  url: { name: 'URLs of lockfiles', addresses: 'urls' },
  path: { name: 'folders of the workers', addresses: 'paths' },
} as const;

export type Kind = keyof typeof KINDS;

/** The fields of the form as text; lists have one entry in each line. */
export type Fields = Readonly<Record<string, string>>;

/** A repository may have a ref and a target of its own. */
interface Repository {
  readonly url: string;
}

/** The fields of a schedule. */
export function fieldsOf({ name, source, target, labels, ...times }: Schedule): Fields {
  const kind = kindOf(source);
  const text = (property: string) => textOf(source[property]);
  return {
    name,
    kind,
    addresses: addressesOf(source).map(urlOf).join('\n'),
    ref: text('ref'),
    file: text('file'),
    format: text('format'),
    targets: text('targets'),
    credentials: text('credentials'),
    exclude: listOf(source['exclude']).map(textOf).join('\n'),
    target: target ?? '',
    labels: Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .join('\n'),
    every: times.everyMs === undefined ? '' : durationText(times.everyMs),
    cron: times.cron ?? '',
    timeZone: times.timeZone ?? '',
    jitter: times.jitterMs === 0 ? '' : durationText(times.jitterMs),
  };
}

/** Those of the fields that belong to a kind of source. */
const OWN_FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  git: ['ref', 'credentials'],
  url: ['file', 'format', 'credentials'],
  path: ['targets'],
};

/**
 * The schedule as it is written in the configuration; the server checks it. `before`: the one that it replaces, whose repositories keep
 * what the form does not show of them.
 */
export function writtenSchedule(fields: Fields, before: Schedule | undefined): NewSchedule {
  const kind = kindOf(fields);
  const known = new Map(addressesOf(before?.source ?? {}).map((entry) => [urlOf(entry), entry]));
  const addresses = linesOf(fields['addresses']).map((line) => known.get(line) ?? line);
  const source = {
    kind,
    [KINDS[kind].addresses]: addresses,
    ...filled(fields, OWN_FIELDS[kind]),
    ...(kind === 'url' ? {} : { exclude: linesOf(fields['exclude']) }),
  };
  const labels = linesOf(fields['labels']).map((line) => {
    const [name = '', ...value] = line.split('=');
    return [name.trim(), value.join('=').trim()];
  });
  return {
    ...filled(fields, ['target', 'every', 'cron', 'timeZone', 'jitter']),
    name: fields['name'] ?? '',
    source,
    labels: Object.fromEntries(labels),
  };
}

function kindOf({ kind }: Readonly<Record<string, unknown>>): Kind {
  return kind === 'url' || kind === 'path' ? kind : 'git';
}

function addressesOf(source: JsonObject): readonly unknown[] {
  return listOf(source[KINDS[kindOf(source)].addresses]);
}

function urlOf(entry: unknown): string {
  return typeof entry === 'string' ? entry : (entry as Repository).url;
}

function filled(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = fields[name]?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}

function linesOf(text = ''): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
