import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { FileError } from '../../files/errors.ts';
import { packageFile } from '../../files/package-file.ts';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import { EmbeddedError } from '../errors.ts';

const requirements = z.record(z.string(), z.string());

const count = z.int().min(0);
const capability = z.object({ capability: z.string(), directCount: count, indirectCount: count });

const slsaProvenance = z.object({
  sourceRepository: z.string(),
  commit: z.string(),
  url: z.string(),
  verified: z.boolean(),
});
const attestation = slsaProvenance.extend({ type: z.string() });

const relatedProject = z.object({
  /** `host/owner/repository`, in lower case. */
  id: z.string(),
  relationType: z.enum(['SOURCE_REPO', 'ISSUE_TRACKER']),
  relationProvenance: z.enum([
    'SLSA_ATTESTATION',
    'GO_ORIGIN',
    'PYPI_PUBLISH_ATTESTATION',
    'RUBYGEMS_PUBLISH_ATTESTATION',
    'UNVERIFIED_METADATA',
  ]),
});

/** A manifest in the archive of an npm package. */
const bundledManifest = z.object({
  path: z.string(),
  name: z.string(),
  version: z.string(),
  dependencies: requirements.optional(),
  optionalDependencies: requirements.optional(),
  peerDependencies: requirements.optional(),
  devDependencies: requirements.optional(),
  bundleDependencies: z.array(z.string()).optional(),
});

const indexedVersion = z.object({
  version: z.string(),
  /** As the package's metadata has it; absent when it has none. */
  license: z.string().optional(),
  /** RFC 3339, when the registry has it. */
  publishedAt: z.string().optional(),
  /** The registry's message; present on deprecated versions only. */
  deprecated: z.string().optional(),
  /** Digests of the artifact as subresource integrity, several separated by spaces: `md5-… sha1-… sha256-… sha512-…`. */
  integrity: z.string().optional(),
  /** URL by label: `HOMEPAGE`, `ISSUE_TRACKER`, `SOURCE_REPO`, … */
  links: z.record(z.string(), z.string()).optional(),
  /** Absent: the graph of this version was not computed. */
  dependencies: requirements.optional(),
  optionalDependencies: requirements.optional(),
  peerDependencies: requirements.optional(),
  devDependencies: requirements.optional(),
  bundleDependencies: z.array(z.string()).optional(),
  /** npm only. */
  bundled: z.array(bundledManifest).optional(),
  /** Go only; absent: it was not analysed. */
  capabilities: z.array(capability).optional(),
  slsaProvenances: z.array(slsaProvenance).optional(),
  attestations: z.array(attestation).optional(),
  /** Projects with a stronger provenance than links. */
  projects: z.array(relatedProject).optional(),
  upstreamIdentifiers: z
    .array(z.object({ packageName: z.string(), versionString: z.string(), source: z.string() }))
    .optional(),
  projectStatus: z.object({ status: z.string(), reason: z.string() }).optional(),
  /** URLs of the artifacts, when they do not follow from name and version. */
  artifacts: z.array(z.string()).optional(),
  /** Requirements and graph as they are served, when they do not follow from `dependencies`. */
  requirements: z.looseObject({}).optional(),
  graph: z.looseObject({}).optional(),
});

const indexedPackage = z.object({
  system: z.enum(['GO', 'RUBYGEMS', 'NPM', 'CARGO', 'MAVEN', 'PYPI', 'NUGET']).default('NPM'),
  /** Canonical. */
  name: z.string(),
  /** The version that is installed by default. */
  default: z.string().optional(),
  versions: z.array(indexedVersion),
  /** Similar names in the same system. */
  similar: z.array(z.string()).optional(),
});

const advisoryFact = z.object({
  id: z.string(),
  title: z.string(),
  aliases: z.array(z.string()),
  /** CVSS v3; absent when the advisory has none. */
  score: z.number().optional(),
  vector: z.string().optional(),
  affected: z.array(
    z.object({
      system: indexedPackage.shape.system,
      name: z.string(),
      /** A semver range; for systems other than npm and Cargo one exact version. */
      range: z.string(),
    }),
  ),
  /** Not served before `learnAdvisory`. */
  heldBack: z.boolean().default(false),
});

const projectFact = z.object({
  /** `host/owner/repository`, in lower case. */
  id: z.string(),
  openIssuesCount: count.optional(),
  starsCount: count.optional(),
  forksCount: count.optional(),
  license: z.string().optional(),
  description: z.string().optional(),
  homepage: z.string().optional(),
  /** As they are served. */
  scorecard: z.looseObject({}).optional(),
  ossFuzz: z.looseObject({}).optional(),
});

const imageFact = z.object({
  /** OCI chain identifier. */
  chainId: z.string(),
  repositories: z.array(z.string()),
});

const samples = z.object({
  packages: z.array(indexedPackage).default([]),
  projects: z.array(projectFact).default([]),
  images: z.array(imageFact).default([]),
});

export type IndexedVersion = z.infer<typeof indexedVersion>;
export type IndexedPackage = z.infer<typeof indexedPackage>;
/** An advisory with the versions that it affects. */
export type AdvisoryFact = z.infer<typeof advisoryFact>;

export type RelatedProject = z.infer<typeof relatedProject>;
export type ProjectFact = z.infer<typeof projectFact>;
export type ImageFact = z.infer<typeof imageFact>;

/** The data of a local package-insights service. */
export interface InsightsData {
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
const FILES = ['packages.ndjson', 'ecosystems.json', 'advisories.json', 'samples.json'] as const;

/** Reads the bundled data set. Throws `EmbeddedError` (`data-set-missing`, `data-set-malformed`). */
export function readBundledData(): Promise<InsightsData> {
  return readFolder(BUNDLED, 'Reinstall Lockhound.');
}

/**
 * Reads a data set in the format of the bundled one: `packages.ndjson`, one package per line; `ecosystems.json` and
 * `samples.json`, packages with projects and images; `advisories.json`. At least one of them must exist. Throws
 * `EmbeddedError` (`data-set-missing`, `data-set-malformed`).
 */
export function readInsightsData(folder: string): Promise<InsightsData> {
  const advice = `It must hold at least one of ${FILES.join(', ')}.`;
  return readFolder(pathToFileURL(`${resolve(folder)}/`), advice);
}

async function readFolder(folder: URL, advice: string): Promise<InsightsData> {
  const texts = await Promise.all(FILES.map((file) => read(folder, file)));
  const [packages, ecosystems, advisories, sampleText] = texts;
  if (texts.every((text) => text === undefined)) {
    const where = fileURLToPath(folder);
    throw new EmbeddedError(
      'data-set-missing',
      `There is no data for the local package-insights service in ${where}. ${advice}`,
    );
  }
  const real = parse(samples, ecosystems ?? '{}', 'ecosystems.json', folder);
  const made = parse(samples, sampleText ?? '{}', 'samples.json', folder);
  const known = (packages ?? '').split('\n').flatMap((line, index) => {
    return line === '' ? [] : [parse(indexedPackage, line, `packages.ndjson:${index + 1}`, folder)];
  });
  return {
    projects: [...real.projects, ...made.projects],
    images: [...real.images, ...made.images],
    packages: [...known, ...real.packages, ...made.packages],
    advisories: parse(z.array(advisoryFact), advisories ?? '[]', 'advisories.json', folder),
  };
}

/** `undefined` for a file that does not exist. */
async function read(folder: URL, file: string): Promise<string | undefined> {
  try {
    const content = await readFile(join(fileURLToPath(folder), file), { maxBytes: MAX_INPUT_BYTES });
    return content.toString('utf8');
  } catch (error) {
    if (error instanceof FileError && error.code === 'not-found') return undefined;
    throw new EmbeddedError(
      'data-set-missing',
      `The data of the local package-insights service cannot be read: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function parse<T>(schema: z.ZodType<T>, text: string, file: string, folder: URL): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    const where = join(fileURLToPath(folder), file);
    throw new EmbeddedError('data-set-malformed', `${where} is not valid: ${reason}`, {
      cause: error,
    });
  }
}
