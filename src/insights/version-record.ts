import type { VersionRecordSummary } from '../model/resolution.ts';
import type { System, VersionKey } from '../model/version-record.ts';
import { fieldsOf, flagOf, listOf, mismatch, textOf, textsOf } from './answer.ts';

const SYSTEMS: ReadonlySet<string> = new Set<System>([
  'GO',
  'RUBYGEMS',
  'NPM',
  'CARGO',
  'MAVEN',
  'PYPI',
  'NUGET',
]);

/** The part of a Version object that is judged. Throws `InsightsError` (`contract`) where it is not as promised. */
export function readVersionRecord(value: unknown, at: string): VersionRecordSummary {
  const version = fieldsOf(value, at);
  const publishedAt = textOf(version, 'publishedAt', at);
  const deprecatedReason = textOf(version, 'deprecatedReason', at);
  return {
    versionKey: readVersionKey(version['versionKey'], `${at}.versionKey`),
    ...(publishedAt === '' ? {} : { publishedAt }),
    isDefault: flagOf(version, 'isDefault', at),
    isDeprecated: flagOf(version, 'isDeprecated', at),
    ...(deprecatedReason === '' ? {} : { deprecatedReason }),
    licenses: textsOf(version, 'licenses', at),
    advisoryIds: listOf(version, 'advisoryKeys', at).map((key) =>
      textOf(fieldsOf(key, `${at}.advisoryKeys`), 'id', `${at}.advisoryKeys`),
    ),
  };
}

export function readVersionKey(value: unknown, at: string): VersionKey {
  const key = fieldsOf(value, at);
  const system = textOf(key, 'system', at);
  const name = textOf(key, 'name', at);
  if (!isSystem(system)) throw mismatch(`${at}.system`, 'a known system', system);
  if (name === '') throw mismatch(`${at}.name`, 'a name', name);
  return { system, name, version: textOf(key, 'version', at) };
}

function isSystem(text: string): text is System {
  return SYSTEMS.has(text);
}
