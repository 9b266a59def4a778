import type * as api from '../../model/api/insights-api.generated.ts';
import type { PublishedVersion } from '../../model/ports/insights.ts';
import type { Fields } from '../answer-check.ts';
import type { Answer } from '../answered.ts';

/** The fields of a Package object that `readPublishedVersions` reads. */
export const PACKAGE_FIELDS: Fields = ['packageKey', 'versions'];

/** The versions in a Package object. One that does not name itself is left out. */
export function readPublishedVersions({ value }: Answer<api.Package>): readonly PublishedVersion[] {
  return (value.versions ?? []).flatMap(({ versionKey, publishedAt = '', isDefault, isDeprecated }) => {
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
  });
}
