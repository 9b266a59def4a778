import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { messageOf } from '../../model/errors.ts';
import { advisoryFact, indexedPackage, samples } from './data-schemas.ts';
import { FILES, type InsightsData, readDataFolder } from './data-set.ts';

export { advisoryFact, indexedPackage };

/**
 * Reads a data set in the format of the bundled one: `packages.ndjson`, one package per line; `ecosystems.json` and
 * `samples.json`, packages with projects and images; `advisories.json`. At least one of them must exist. Throws
 * `EmbeddedError` (`data-set-missing`, `data-set-malformed`).
 */
export async function readInsightsData(folder: string): Promise<InsightsData> {
  const advice = `It must hold at least one of ${FILES.join(', ')}.`;
  const readers = {
    package: (line: string) => checked(indexedPackage, line),
    samples: (text: string) => checked(samples, text),
    advisories: (text: string) => checked(z.array(advisoryFact), text),
  };
  return readDataFolder(pathToFileURL(`${resolve(folder)}/`), readers, advice);
}

/** Data of a running service, as JSON. Throws an error with status 400 for data that is not valid. */
export function parseData<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return checked(schema, text);
  } catch (error) {
    throw Object.assign(new Error(messageOf(error), { cause: error }), { statusCode: 400 });
  }
}

function checked<T>(schema: z.ZodType<T>, text: string): T {
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(z.prettifyError(parsed.error));
}
