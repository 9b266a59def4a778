import { existsSync } from 'node:fs';
import type { AdvisoryText } from '../advisories/advisory-text.ts';
import { advisoriesPath, openAdvisories } from '../advisories/database.ts';
import { dataFolder } from '../config/data-folder.ts';
import type { LoadedConfig } from '../config/load.ts';
import { closing } from '../model/closing.ts';
import { defined } from '../model/defined.ts';

/** The imported text of an advisory for people. Times are RFC 3339. */
export interface ImportedText extends AdvisoryText {
  readonly published?: string;
  readonly modified?: string;
  readonly withdrawn?: string;
}

/**
 * The text of an advisory in the imported advisories of this machine, by its names: the first that has one. The result is empty where none
 * are imported, or where they cannot be read, which `lockhound doctor` reports: it is then not known.
 */
export async function importedText(
  { config: { data } }: LoadedConfig,
  names: readonly string[],
): Promise<ImportedText> {
  const path = advisoriesPath(dataFolder(data.folder));
  if (!existsSync(path)) return {};
  try {
    return await closing(openAdvisories(path), (advisories) => {
      const known = names.filter((name) => advisories.find(name) !== undefined);
      const id = known.find((name) => advisories.text(name) !== undefined) ?? known[0];
      if (id === undefined) return {};
      const { published, modified, withdrawn } = advisories.find(id) ?? {};
      // A publisher that does not know it states the year 1.
      const changed = Date.parse(modified ?? '') > 0 ? modified : undefined;
      return { ...defined({ published, modified: changed, withdrawn }), ...advisories.text(id) };
    });
  } catch {
    return {};
  }
}
