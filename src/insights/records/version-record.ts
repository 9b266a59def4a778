import { UNCOVERED } from '../../model/api/extensions.ts';
import type * as api from '../../model/api/insights-api.generated.ts';
import { defined } from '../../model/defined.ts';
import { API_SYSTEMS, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { PublishedVersions, VersionRecordSummary } from '../../model/scan/inventory.ts';
import type { Fields } from '../answer-check.ts';
import type { Answer } from '../answered.ts';
import { InsightsError } from '../errors.ts';

/** The fields of a Version object that `readVersionRecord` reads. */
export const RECORD_FIELDS: Fields = [
  'versionKey',
  'publishedAt',
  'isDefault',
  'isDeprecated',
  'deprecatedReason',
  'projectStatus',
  'licenses',
  'advisoryKeys',
];

/** Fields without which a vulnerable or deprecated version would look like a good one. */
const VITAL = /\.(?:versionKey|advisoryKeys|isDeprecated)\b|\.(?:version|result)$/;

/** Whether an answer that does not fit at this place cannot be used as a record. */
export function isVital(path: string): boolean {
  return VITAL.test(path);
}

/** The part of a Version object that rules read. Throws `InsightsError` (`contract`) when it does not name itself. */
export function readVersionRecord(version: api.Version): VersionRecordSummary {
  const {
    publishedAt: stated = '',
    deprecatedReason = '',
    licenses: named = [],
    advisoryKeys = [],
  } = version;
  // A date that cannot be read counts as absent.
  const publishedAt = Number.isNaN(Date.parse(stated)) ? '' : stated;
  const licenses = named.includes('') ? named.filter((one) => one !== '') : named;
  const versionKey = readVersionKey(version.versionKey);
  const isDefault = version.isDefault ?? false;
  const isDeprecated = version.isDeprecated ?? false;
  const advisoryIds = advisoryKeys.map(readAdvisoryId);
  // Most versions: a literal takes a fraction of the time and memory of one with optional parts.
  const projectStatus = readStatus(version.projectStatus);
  if (publishedAt !== '' && deprecatedReason === '' && projectStatus === undefined) {
    return { versionKey, publishedAt, isDefault, isDeprecated, licenses, advisoryIds };
  }
  return {
    versionKey,
    ...(publishedAt === '' ? {} : { publishedAt }),
    isDefault,
    isDeprecated,
    ...(deprecatedReason === '' ? {} : { deprecatedReason }),
    licenses,
    advisoryIds,
    ...defined({ projectStatus }),
  };
}

const MAX_REASON = 500;

/** Reads a status. An empty one counts as absent, and so does one whose value is that it is not known. */
function readStatus({
  status = '',
  reason = '',
}: api.ProjectStatus = {}): VersionRecordSummary['projectStatus'] {
  const word = status.trim().toLowerCase();
  if (!/^[a-z][\w -]{0,39}$/.test(word) || /unknown|unspecified/.test(word)) return undefined;
  return reason === '' ? { status: word } : { status: word, reason: reason.slice(0, MAX_REASON) };
}

export function readVersionKey(key: api.VersionKey = {}): VersionKey {
  const { system, name = '', version = '' } = key;
  if (name !== '' && system !== undefined && API_SYSTEMS.includes(system)) return { system, name, version };
  throw new InsightsError(
    'contract',
    `a version in the answer has the key ${JSON.stringify(key).slice(0, 200)}`,
  );
}

function readAdvisoryId({ id = '' }: api.AdvisoryKey): string {
  if (id === '')
    throw new InsightsError('contract', 'a version in the answer lists an advisory without identifier');
  return id;
}

/** The fields of a Package object that `readPublishedVersions` reads. */
export const PACKAGE_FIELDS: Fields = ['packageKey', 'versions'];

/** The versions in a Package object. One that does not name itself is left out. */
export function readPublishedVersions({ value, raw }: Answer<api.Package>): PublishedVersions {
  const versions = (value.versions ?? []).flatMap(
    ({ versionKey, publishedAt = '', isDefault, isDeprecated }) => {
      const version = versionKey?.version ?? '';
      if (version === '') return [];
      return [
        {
          version,
          ...(publishedAt === '' ? {} : { publishedAt }),
          isDefault: isDefault ?? false,
          isDeprecated: isDeprecated ?? false,
        },
      ];
    },
  );
  return { versions, ...(isPartial(raw) ? { isPartial: true } : {}) };
}

/** Whether the service says that versions are not in the list. A statement that cannot be read says so, too. */
function isPartial(raw: unknown): boolean {
  const { [UNCOVERED]: stated = false } = raw as { readonly [UNCOVERED]?: unknown };
  return stated !== false;
}
