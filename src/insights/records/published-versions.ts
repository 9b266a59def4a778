import { UNCOVERED } from '../../model/api/extensions.ts';
import type * as api from '../../model/api/insights-api.generated.ts';
import type { PublishedVersions } from '../../model/scan/inventory.ts';
import type { Fields } from '../answer-check.ts';
import type { Answer } from '../answered.ts';

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
