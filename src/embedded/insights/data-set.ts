import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { FileError } from '../../files/errors.ts';
import { packageFile } from '../../files/package-file.ts';
import { MAX_INPUT_BYTES, readTextSync } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import { EmbeddedError } from '../errors.ts';
import type {
  advisoryFact,
  imageFact,
  indexedPackage,
  indexedVersion,
  projectFact,
  relatedProject,
  samples,
} from './data-schemas.ts';

export type IndexedVersion = z.infer<typeof indexedVersion>;
export type IndexedPackage = z.infer<typeof indexedPackage>;
/** An advisory with the versions that it affects. */
export type AdvisoryFact = z.infer<typeof advisoryFact>;

export type RelatedProject = z.infer<typeof relatedProject>;
export type ProjectFact = z.infer<typeof projectFact>;
export type ImageFact = z.infer<typeof imageFact>;
type Samples = z.infer<typeof samples>;

/** The data of a local package-insights service. */
export interface InsightsData {
  /**
   * Whether packages and versions exist that are not in this data. What it does not have is then uncovered, and not missing,
   * except for the `absent` versions of a package. Default: false.
   */
  readonly partial?: boolean;
  readonly packages: readonly IndexedPackage[];
  readonly advisories: readonly AdvisoryFact[];
  /** Facts from hosts. A project that only links name needs no entry. */
  readonly projects?: readonly ProjectFact[];
  readonly images?: readonly ImageFact[];
}

/**
 * The data bundled with Lockhound, in `data/insights/`: facts about the packages of `examples/shop` and some of other
 * ecosystems, and invented samples, named as such, for what could not be verified.
 */
const BUNDLED = packageFile('data/insights/');
export const FILES = ['packages.ndjson', 'ecosystems.json', 'advisories.json', 'samples.json'] as const;

/** Parsers of the files of a data set. Each adds the default values. */
export interface DataReaders {
  package(line: string): IndexedPackage;
  samples(text: string): Samples;
  advisories(text: string): readonly AdvisoryFact[];
}

/**
 * Reads the bundled data set. Its files are not validated here, because they are published together with this code and
 * a test validates them against the schemas. Throws `EmbeddedError` (`data-set-missing`, `data-set-malformed`).
 */
export async function readBundledData(): Promise<InsightsData> {
  return readDataFolder(BUNDLED, UNCHECKED, 'Reinstall Lockhound.');
}

const UNCHECKED: DataReaders = {
  package: (line) => JSON.parse(line),
  samples(text) {
    const { packages = [], projects = [], images = [] }: z.input<typeof samples> = JSON.parse(text);
    return { packages: packages.map(withSystem), projects, images };
  },
  advisories(text) {
    const advisories: readonly z.input<typeof advisoryFact>[] = JSON.parse(text);
    return advisories.map(({ affected, heldBack = false, ...advisory }) => {
      return { ...advisory, affected: affected.map(withSystem), heldBack };
    });
  },
};

function withSystem<Item extends { readonly system?: IndexedPackage['system'] | undefined }>(item: Item) {
  return { ...item, system: item.system ?? ('NPM' as const) };
}

/** Reads a folder in which at least one of `files` exists, at the start of a program. No folder holds everything: the data is partial. */
export function readDataFolder(folder: URL, readers: DataReaders, advice: string): InsightsData {
  const [packages, ecosystems, advisories, sampleText] = FILES.map((file) => read(folder, file));
  if ([packages, ecosystems, advisories, sampleText].every((text) => text === undefined)) {
    const where = fileURLToPath(folder);
    throw new EmbeddedError(
      'data-set-missing',
      `There is no data for the local package-insights service in ${where}. ${advice}`,
    );
  }
  const real = parse(readers.samples, ecosystems ?? '{}', 'ecosystems.json', folder);
  const invented = parse(readers.samples, sampleText ?? '{}', 'samples.json', folder);
  const known = (packages ?? '').split('\n').flatMap((line, index) => {
    return line === '' ? [] : [parse(readers.package, line, `packages.ndjson:${index + 1}`, folder)];
  });
  return {
    partial: true,
    projects: [...real.projects, ...invented.projects],
    images: [...real.images, ...invented.images],
    packages: [...known, ...real.packages, ...invented.packages],
    advisories: parse(readers.advisories, advisories ?? '[]', 'advisories.json', folder),
  };
}

/** `undefined` for a file that does not exist. */
function read(folder: URL, file: string): string | undefined {
  try {
    return readTextSync(join(fileURLToPath(folder), file), MAX_INPUT_BYTES);
  } catch (error) {
    if (error instanceof FileError && error.code === 'not-found') return undefined;
    throw new EmbeddedError(
      'data-set-missing',
      `The data of the local package-insights service cannot be read: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function parse<T>(read: (text: string) => T, text: string, file: string, folder: URL): T {
  try {
    return read(text);
  } catch (error) {
    const where = join(fileURLToPath(folder), file);
    throw new EmbeddedError('data-set-malformed', `${where} is not valid: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
