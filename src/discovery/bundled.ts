import { readFile } from 'node:fs/promises';
import { asDescription, type RestDescription } from './description.ts';

/** The documents that come with Lockhound, in `apis/`. */
export type BundledApi = 'insights.v3alpha' | 'webhooks.v1';

/** Reads one of our own description documents. */
export async function readBundledDescription(api: BundledApi): Promise<RestDescription> {
  const file = new URL(`../../apis/${api}.json`, import.meta.url);
  return asDescription(JSON.parse(await readFile(file, 'utf8')), `apis/${api}.json`);
}
